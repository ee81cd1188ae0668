import * as Handlers from "@effect-mcp/client/Handlers"
import * as McpClient from "@effect-mcp/client/McpClient"
import type { McpTransport, RequestError } from "@effect-mcp/core/ClientTransport"
import type { McpClientError } from "@effect-mcp/core/McpClientError"
import * as Method from "@effect-mcp/core/Method"
import * as Prompt from "@effect-mcp/core/Prompt"
import * as ResourceTemplate from "@effect-mcp/core/ResourceTemplate"
import type { ContentBlock } from "@effect-mcp/core/schema/Content"
import { InputRequiredResult } from "@effect-mcp/core/schema/InputRequired"
import type { GetPromptResult } from "@effect-mcp/core/schema/Prompts"
import type { ReadResourceResult } from "@effect-mcp/core/schema/Resources"
import type { CallToolResult } from "@effect-mcp/core/schema/Tools"
import * as Tool from "@effect-mcp/core/Tool"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type * as Types from "effect/Types"
import type { Client } from "@effect-mcp/client/Client"
import type { CallEvent } from "@effect-mcp/client/RequestOptions"

declare const client: Client

const answer = { role: "assistant", content: { type: "text", text: "" }, model: "m" } as const

const layer = McpClient.layer({ name: "a", version: "1" })
export const aClientNeedsATransport: Types.Equals<
  typeof layer,
  Layer.Layer<McpClient.McpClient, RequestError, McpTransport>
> = true

class Full extends Schema.TaggedError<Full>()("Full", { until: Schema.DateFromString }) {}

const Book = Tool.make("book", {
  input: { day: Schema.DateFromString },
  output: { at: Schema.DateFromString },
  failure: Full
})

const booked = client.call(Book, { day: new Date(0) })
export const aCallIsTypedByItsContract: Types.Equals<
  typeof booked,
  Effect.Effect<{ readonly at: Date }, Full | Tool.ToolFailure | RequestError>
> = true

const said = client.call(Tool.make("say", {}), {})
export const aCallWithoutOutputGivesContent: Types.Equals<
  typeof said,
  Effect.Effect<ReadonlyArray<ContentBlock>, Tool.ToolFailure | RequestError>
> = true

const events = client.callWithProgress(Book, { day: new Date(0) })
export const progressAndResultAreTagged: Types.Equals<
  typeof events,
  Stream.Stream<CallEvent<{ readonly at: Date }>, Full | Tool.ToolFailure | RequestError>
> = true

const byName = client.callTool("book", { day: "today" })
export const aCallByNameGivesTheResult: Types.Equals<
  typeof byName,
  Effect.Effect<CallToolResult, RequestError>
> = true

class Sink extends Context.Service<Sink, { readonly put: (n: number) => void }>()("test/Sink") {}

const reporting = client.callTool("book", {}, {
  onProgress: ({ progress }) => Effect.map(Sink, (sink) => sink.put(progress))
})
export const aCallRequiresWhatItsCallbacksRequire: Types.Equals<
  typeof reporting,
  Effect.Effect<CallToolResult, RequestError, Sink>
> = true

const Task = Schema.Struct({ resultType: Schema.Literal("task"), taskId: Schema.String })
const either = client.request(Method.toolsCall, { name: "a" }, { accept: { task: Task } })
export const aRequestGivesWhatItAccepts: Types.Equals<
  typeof either,
  Effect.Effect<CallToolResult | { readonly resultType: "task"; readonly taskId: string }, RequestError>
> = true

const plain = client.request(Method.toolsCall, { name: "a" })
export const aRequestGivesTheResultOfItsMethod: Types.Equals<
  typeof plain,
  Effect.Effect<CallToolResult, RequestError>
> = true

const accept = { input_required: InputRequiredResult }
const asked = client.request(Method.toolsCall, { name: "a" }, { accept, capabilities: { elicitation: { url: {} } } })
export const aRequestGivesTheQuestionsItAccepts: Types.Equals<
  typeof asked,
  Effect.Effect<CallToolResult | InputRequiredResult, RequestError>
> = true

const prompted = client.request(Method.promptsGet, { name: "a" }, { accept })
export const soDoesAPrompt: Types.Equals<
  typeof prompted,
  Effect.Effect<GetPromptResult | InputRequiredResult, RequestError>
> = true

const isInputRequired = Schema.is(InputRequiredResult)
const answered = Effect.flatMap(
  client.request(Method.resourcesRead, { uri: "a:b" }, { accept }),
  (result): Effect.Effect<ReadResourceResult | InputRequiredResult, RequestError> => {
    if (!isInputRequired(result)) return Effect.succeed(result)
    const { requestState } = result
    const inputResponses = { who: { action: "accept", content: { a: 1 } } }
    return client.request(Method.resourcesRead, { uri: "a:b", inputResponses, requestState }, { accept })
  }
)
export const aQuestionIsToldFromAnAnswer: Types.Equals<
  typeof answered,
  Effect.Effect<ReadResourceResult | InputRequiredResult, RequestError>
> = true

// @ts-expect-error MRTR-2: a list has no answers to questions among its params
client.request(Method.toolsList, { inputResponses: {} })

// @ts-expect-error MRTR-8: the state is a text, whatever it says
client.request(Method.toolsCall, { name: "a", requestState: {} }, { accept })

// @ts-expect-error META-12: what the handlers of a client can do is declared by them
client.callTool("a", {}, { capabilities: {} })

// @ts-expect-error TOOL-11: arguments have the type of the contract
client.call(Book, { day: "1970-01-01" })

// @ts-expect-error an argument that is missing
client.call(Book, {})

const Review = Prompt.make("review", { arguments: { code: Schema.String } })

// @ts-expect-error PROMPT-2: the arguments of a prompt have the types of its contract
client.get(Review, { code: 1 })

// @ts-expect-error PROMPT-2: by name the arguments of a prompt are strings
client.getPrompt("review", { code: 1 })

const File = ResourceTemplate.make("docs://{page}", { name: "file", parameters: { page: Schema.FiniteFromString } })

// @ts-expect-error RES-3: parameters have the types of the contract, not of the URI
client.read(File, { page: "1" })

// @ts-expect-error a callback has no failures of its own
client.callTool("a", {}, { onProgress: () => Effect.fail("no") })

// @ts-expect-error the stream takes the progress itself
client.callWithProgress(Book, { day: new Date(0) }, { onProgress: () => Effect.void })

// @ts-expect-error META-16: a level the protocol does not have
client.callTool("a", {}, { logLevel: "verbose" })

// @ts-expect-error META-10: who the client is has a version
McpClient.layer({ name: "a" })

class Form extends Context.Service<Form, { readonly show: Effect.Effect<Handlers.FormAnswer> }>()("test/Form") {}
class Browser extends Context.Service<Browser, { readonly open: (url: string) => Effect.Effect<void> }>()(
  "test/Browser"
) {}
class Model extends Context.Service<Model, string>()("test/Model") {}
class Folder extends Context.Service<Folder, string>()("test/Folder") {}
class Watch extends Context.Service<Watch, Stream.Stream<void>>()("test/Watch") {}

const info = { name: "a", version: "1" }

const answering = McpClient.layer(info, {
  elicitation: {
    form: () => Effect.flatMap(Form, (form) => form.show),
    url: ({ url }) => Effect.as(Effect.flatMap(Browser, (browser) => browser.open(url)), Handlers.decline)
  },
  sampling: { createMessage: () => Effect.map(Model, (model) => ({ ...answer, model })) },
  roots: {
    list: Effect.map(Folder, (folder) => [{ uri: `file://${folder}` }]),
    changes: Stream.unwrap(Effect.map(Watch, (watch) => watch))
  }
})
export const aClientRequiresWhatItsHandlersRequire: Types.Equals<
  typeof answering,
  Layer.Layer<McpClient.McpClient, RequestError, McpTransport | Form | Browser | Model | Folder | Watch>
> = true

const alone = McpClient.layer(info, {
  elicitation: { form: () => Effect.succeed(Handlers.accept({ a: [] })) },
  roots: [{ uri: "file:///" }],
  prefer: "legacy"
})
export const aHandlerThatNeedsNothingRequiresNothing: Types.Equals<
  typeof alone,
  Layer.Layer<McpClient.McpClient, RequestError, McpTransport>
> = true

const made = McpClient.make(info, { sampling: { createMessage: () => Effect.as(Model, answer) } })
export const makingRequiresTheSame: Types.Equals<
  Effect.Services<typeof made>,
  McpTransport | Model | Scope.Scope
> = true

declare const options: McpClient.Options
const given = McpClient.layer(info, options)
export const optionsThatAreGivenRequireNothing: Types.Equals<
  typeof given,
  Layer.Layer<McpClient.McpClient, RequestError, McpTransport>
> = true

const notifications = client.notifications.pipe(
  Stream.filter((notification) => notification.method === "notifications/resources/updated"),
  Stream.map(({ params }) => params.uri)
)
export const notificationsAreTypedByMethod: Types.Equals<
  typeof notifications,
  Stream.Stream<string, McpClientError>
> = true

// @ts-expect-error ELI-11: an answer to a form is one of three
McpClient.layer(info, { elicitation: { form: () => Effect.succeed({ action: "ok" }) } })

// @ts-expect-error ERR-13: a handler fails with an error that can be sent
McpClient.layer(info, { sampling: { createMessage: () => Effect.fail("no") } })

// @ts-expect-error ROOT-2: roots are addresses
McpClient.layer(info, { roots: ["/home"] })

// @ts-expect-error a revision that was never published
McpClient.layer(info, { prefer: "2025-01-01" })
