/** A client, whichever library it is from: what the steps speak through. */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"

export interface Json {
  readonly [member: string]: unknown
}

/** An error that the server answered with. Whatever else goes wrong is a defect. */
export class Refusal extends Data.TaggedError("Refusal")<{
  readonly code: number
  readonly message: string
  readonly data: unknown
}> {}

export type ListName = "tools" | "resources" | "resourceTemplates" | "prompts"

export type Level = "debug" | "info" | "notice" | "warning" | "error" | "critical" | "alert" | "emergency"

export interface CallOptions {
  readonly onProgress?: ((progress: Json) => void) | undefined
  readonly onLog?: ((message: Json) => void) | undefined
  /** In the legacy era it is the session's from then on. */
  readonly logLevel?: Level | undefined
}

export class Peer extends Context.Service<Peer, {
  readonly discovered: Json
  readonly all: (list: ListName) => Effect.Effect<ReadonlyArray<Json>, Refusal>
  readonly page: (list: ListName, cursor: string | undefined) => Effect.Effect<Json, Refusal>
  /** Interrupting a call is its cancellation. */
  readonly call: (name: string, args?: Json, options?: CallOptions) => Effect.Effect<Json, Refusal>
  readonly read: (uri: string) => Effect.Effect<Json, Refusal>
  readonly get: (name: string, args?: { readonly [name: string]: string }) => Effect.Effect<Json, Refusal>
  readonly complete: (
    ref: { readonly type: "ref/prompt"; readonly name: string } | {
      readonly type: "ref/resource"
      readonly uri: string
    },
    argument: { readonly name: string; readonly value: string },
    known?: { readonly [name: string]: string }
  ) => Effect.Effect<Json, Refusal>
  /** The legacy era only, as the three after it. */
  readonly ping: Effect.Effect<Json, Refusal>
  readonly setLevel: (level: Level) => Effect.Effect<Json, Refusal>
  readonly subscribe: (uri: string) => Effect.Effect<Json, Refusal>
  readonly unsubscribe: (uri: string) => Effect.Effect<Json, Refusal>
  /** Takes the notifications that came for no request since the last time. */
  readonly heard: () => ReadonlyArray<Json>
  /** Takes what the server has asked since the last time (see `person.ts`). */
  readonly asked: () => ReadonlyArray<Json>
  /** Says that a request is cancelled which never was. */
  readonly cancelNothing: Effect.Effect<void>
  /** How many messages have come so far. */
  readonly arrived: () => number
  /** Takes what the library has complained about since the last time. */
  readonly complaints: () => ReadonlyArray<string>
}>()("interop/Peer") {}
