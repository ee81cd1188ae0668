/**
 * Revision 2026-07-28 between our packages and the official SDK, as real processes and sockets: our server with the
 * official client, and the official server with our client, over stdio and HTTP.
 */
import { ofModern } from "./support/pairs.ts"
import { test } from "./support/suite.ts"

test(ofModern)
