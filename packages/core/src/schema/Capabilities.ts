/**
 * What a client and a server say they can do.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { JsonObject } from "./Common.ts"

const Settings = Schema.Record(Schema.String, JsonObject)

/**
 * The abilities of a client: declared once in `initialize` up to 2025-11-25, in every request since 2026-07-28.
 *
 * **Details**
 *
 * `experimental`, `roots` and `sampling` are in all revisions, `roots.listChanged` up to 2025-11-25; `elicitation` is
 * there from 2025-06-18 on; `sampling.context`, `sampling.tools`, `elicitation.form` and `elicitation.url` from
 * 2025-11-25 on; `tasks` only in 2025-11-25; `extensions` since 2026-07-28 (INIT-11).
 *
 * **Gotchas**
 *
 * `elicitation: {}` means forms only (ELI-1). Test for the presence of a member, never for what is in it.
 *
 * @category models
 * @since 0.1.0
 */
export interface ClientCapabilities extends Schema.Schema.Type<typeof ClientCapabilities> {}

/**
 * Accepts the capabilities of a client. Unknown ones pass, and survive `Common.decodeOpen` (INIT-11, RPC-21).
 *
 * @category schemas
 * @since 0.1.0
 */
export const ClientCapabilities = Schema.Struct({
  experimental: Schema.optional(Settings),
  extensions: Schema.optional(Settings),
  roots: Schema.optional(Schema.Struct({
    listChanged: Schema.optional(Schema.Boolean)
  })),
  sampling: Schema.optional(Schema.Struct({
    context: Schema.optional(JsonObject),
    tools: Schema.optional(JsonObject)
  })),
  elicitation: Schema.optional(Schema.Struct({
    form: Schema.optional(JsonObject),
    url: Schema.optional(JsonObject)
  })),
  tasks: Schema.optional(JsonObject)
})

/**
 * The abilities of a server: in the result of `initialize` up to 2025-11-25, of `server/discover` since 2026-07-28.
 *
 * **Details**
 *
 * `experimental`, `logging`, `prompts`, `resources` and `tools` are in all revisions; `completions` is there from
 * 2025-03-26 on; `tasks` only in 2025-11-25; `extensions` since 2026-07-28 (INIT-12, DISC-3).
 *
 * @category models
 * @since 0.1.0
 */
export interface ServerCapabilities extends Schema.Schema.Type<typeof ServerCapabilities> {}

/**
 * Accepts the capabilities of a server. Unknown ones pass, and survive `Common.decodeOpen` (INIT-12, RPC-21).
 *
 * @category schemas
 * @since 0.1.0
 */
export const ServerCapabilities = Schema.Struct({
  experimental: Schema.optional(Settings),
  extensions: Schema.optional(Settings),
  logging: Schema.optional(JsonObject),
  completions: Schema.optional(JsonObject),
  prompts: Schema.optional(Schema.Struct({
    listChanged: Schema.optional(Schema.Boolean)
  })),
  resources: Schema.optional(Schema.Struct({
    subscribe: Schema.optional(Schema.Boolean),
    listChanged: Schema.optional(Schema.Boolean)
  })),
  tools: Schema.optional(Schema.Struct({
    listChanged: Schema.optional(Schema.Boolean)
  })),
  tasks: Schema.optional(JsonObject)
})
