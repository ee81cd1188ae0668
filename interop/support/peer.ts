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

export interface CallOptions {
  readonly onProgress?: ((progress: Json) => void) | undefined
  readonly onLog?: ((message: Json) => void) | undefined
  readonly logLevel?: "warning" | undefined
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
  /** Says that a request is cancelled which never was. */
  readonly cancelNothing: Effect.Effect<void>
  /** How many messages have come so far. */
  readonly arrived: () => number
  /** Takes what the library has complained about since the last time. */
  readonly complaints: () => ReadonlyArray<string>
}>()("interop/Peer") {}
