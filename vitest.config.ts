import * as path from "node:path"
import { defineConfig } from "vitest/config"

const packages = path.join(import.meta.dirname, "packages")

export default defineConfig({
  resolve: {
    alias: [
      { find: /^@effect-mcp\/([\w-]+)$/, replacement: `${packages}/$1/src/index.ts` },
      { find: /^@effect-mcp\/([\w-]+)\/(.+)$/, replacement: `${packages}/$1/src/$2.ts` }
    ]
  },
  test: {
    include: ["packages/*/test/**/*.test.ts", "test/**/*.test.ts", "examples/test/**/*.test.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 2
  }
})
