/**
 * The legacy era between our packages and version 2 of the official SDK, and which era both settle on where they find out.
 */
import { ofVersion2 } from "./support/pairs.ts"
import { test } from "./support/suite.ts"

test(ofVersion2)
