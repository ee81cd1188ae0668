/** The interop suite: our packages against the official SDKs. Slower than the tests, and run on its own. */
import { defineConfig, mergeConfig } from "vitest/config"
import base from "./vitest.config.ts"

const config = mergeConfig(base, defineConfig({ test: { testTimeout: 60_000 } }))

export default { ...config, test: { ...config.test, include: ["interop/**/*.test.ts"] } }
