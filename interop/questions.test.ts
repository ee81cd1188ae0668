/**
 * Questions in other ways than by handlers, between our packages and the official SDKs: answered round by round by the
 * program itself, and asked of a client that has declared nothing. The steps with handlers are among those of all pairs.
 */
import { ofQuestions } from "./support/pairs.ts"
import { test } from "./support/suite.ts"

test(ofQuestions)
