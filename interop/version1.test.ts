/**
 * The revisions of the legacy era between our packages and version 1 of the official SDK: over stdio, over HTTP with
 * sessions, and over HTTP+SSE.
 */
import { ofVersion1 } from "./support/pairs.ts"
import { test } from "./support/suite.ts"

test(ofVersion1)
