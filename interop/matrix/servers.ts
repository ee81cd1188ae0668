/** The servers of the matrix by name, also for the process that is started with one. */
import * as NonceStore from "@effect-mcp/core/NonceStore"
import type * as Revision from "@effect-mcp/core/Revision"
import type { McpEndpoint } from "@effect-mcp/core/ServerEndpoint"
import * as Layer from "effect/Layer"
import * as features from "./features.ts"
import * as questions from "./questions.ts"

/** Serves these revisions, by default all. */
type Server = (revisions?: ReadonlyArray<Revision.Revision>) => Layer.Layer<McpEndpoint, unknown>

const all = {
  features: features.server,
  /** What asks. */
  questions: questions.server,
  /** The same, where each round can be sent once (MRTR-17). */
  questionsOnce: (revisions) => Layer.provide(questions.server(revisions), NonceStore.layerMemory)
} satisfies Record<string, Server>

export type Name = keyof typeof all

export const isName = (name: unknown): name is Name => typeof name === "string" && name in all

export const server = (name: Name): Server => all[name]
