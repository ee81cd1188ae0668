/** What questions have in their types, and where they cannot be asked. */
import type * as McpError from "@effect-mcp/core/McpError"
import * as Prompt from "@effect-mcp/core/Prompt"
import type * as Roots from "@effect-mcp/core/schema/Roots"
import * as Tool from "@effect-mcp/core/Tool"
import * as Elicitation from "@effect-mcp/server/Elicitation"
import * as Interaction from "@effect-mcp/server/Interaction"
import type { InteractionError } from "@effect-mcp/server/InteractionError"
import type { McpRequest } from "@effect-mcp/server/McpRequest"
import * as McpServer from "@effect-mcp/server/McpServer"
import * as RootsModule from "@effect-mcp/server/Roots"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Types from "effect/Types"

type Asking = McpError.McpError | InteractionError

const form = Elicitation.form({
  message: "?",
  schema: { n: Schema.NumberFromString, b: Schema.optionalKey(Schema.Boolean) }
})

export const aFormGivesItsFields: Types.Equals<
  typeof form,
  Effect.Effect<Elicitation.Outcome<{ readonly n: number; readonly b?: boolean }>, Asking, McpRequest>
> = true

const orFail = Elicitation.formOrFail({ message: "?", schema: { s: Schema.String } })

export const orFailHasItInItsErrors: Types.Equals<
  typeof orFail,
  Effect.Effect<{ readonly s: string }, Elicitation.Declined | Elicitation.Cancelled | Asking, McpRequest>
> = true

// @ts-expect-error ELI-5: an object is no field
Elicitation.form({ message: "?", schema: { o: Schema.Struct({ a: Schema.String }) } })

class Database extends Context.Service<Database, { readonly n: number }>()("typetest/Database") {}

const both = Interaction.all({ roots: RootsModule.list, n: Effect.map(Database, ({ n }) => n) })

export const allHasTheNames: Types.Equals<
  typeof both,
  Effect.Effect<
    { readonly roots: ReadonlyArray<Roots.Root>; readonly n: number },
    Asking,
    McpRequest | Database
  >
> = true

const inline = Interaction.all({
  folders: RootsModule.list.pipe(Effect.catchTag("MissingClientCapability", () => Effect.succeed(0))),
  n: Effect.gen(function*() {
    return (yield* Database).n
  })
})

export const whatIsWrittenInPlaceKeepsItsTypes: Types.Equals<
  typeof inline,
  Effect.Effect<
    { readonly folders: number | ReadonlyArray<Roots.Root>; readonly n: number },
    Exclude<Asking, McpError.MissingClientCapability>,
    McpRequest | Database
  >
> = true

// @ts-expect-error the names are the keys
Interaction.all([RootsModule.list, RootsModule.list])

// @ts-expect-error nothing but effects
Interaction.all({ roots: RootsModule.list, n: 1 })

class Refused extends Schema.TaggedError<Refused>()("Refused", {}) {}

declare const charge: Effect.Effect<number, Refused, Database>

const once = Interaction.once("charge", { success: Schema.Finite, failure: Refused }, charge)

export const onceIsTheEffect: Types.Equals<
  typeof once,
  Effect.Effect<number, Refused | InteractionError, Database | McpRequest>
> = true

Interaction.once(
  "charge",
  { success: Schema.Finite },
  (idempotencyKey: string) => Effect.as(charge, idempotencyKey.length)
)

// @ts-expect-error the outcome is what the schema can write down
Interaction.once("charge", { success: Schema.String }, charge)

export const everyHandlerMayAsk = [
  McpServer.tool(Tool.make("ask"), () => Effect.as(form, "done"), { needs: ["elicitation"] }),
  McpServer.prompt(Prompt.make("ask", {}), () => Effect.as(form, "done"))
]

// @ts-expect-error there is no such capability
McpServer.tool(Tool.make("ask"), () => Effect.succeed("done"), { needs: ["elicitation.voice"] })

McpServer.prompt(Prompt.make("ask", { arguments: { a: Schema.String } }), () => Effect.succeed("done"), {
  // @ts-expect-error MRTR-2: a completion cannot ask
  complete: { a: () => Effect.as(form, ["done"]) }
})

// @ts-expect-error a failure of a person is declared, or caught
McpServer.tool(Tool.make("ask"), () => Effect.as(orFail, "done"))
