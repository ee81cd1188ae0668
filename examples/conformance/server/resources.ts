/** Resources with text and with bytes, and a family of resources. */
import * as Resource from "@effect-mcp/core/Resource"
import * as ResourceTemplate from "@effect-mcp/core/ResourceTemplate"
import * as McpServer from "@effect-mcp/server/McpServer"
import * as Effect from "effect/Effect"
import * as Encoding from "effect/encoding/Base64"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as assets from "./assets.ts"
import * as completion from "./completion.ts"

const StaticText = Resource.make("test://static-text", {
  name: "static-text",
  description: "A resource with text",
  mimeType: "text/plain"
})

const StaticBinary = Resource.make("test://static-binary", {
  name: "static-binary",
  description: "A resource with bytes",
  mimeType: "image/png"
})

const Watched = Resource.make("test://watched-resource", {
  name: "watched-resource",
  description: "A resource to subscribe to",
  mimeType: "text/plain"
})

const Data = ResourceTemplate.make("test://template/{id}/data", {
  name: "template-data",
  description: "A resource for every id",
  mimeType: "application/json",
  parameters: { id: Schema.String }
})

export const layer = Layer.mergeAll(
  McpServer.resource(StaticText, Effect.succeed("This is the content of the static text resource.")),
  McpServer.resource(StaticBinary, Effect.succeed(Result.getOrThrow(Encoding.decode(assets.png)))),
  McpServer.resource(Watched, Effect.succeed("This is the content of the watched resource.")),
  McpServer.resourceTemplate(
    Data,
    ({ id }) => Effect.succeed(JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` })),
    { complete: { id: completion.oneOf("123", "124", "456") } }
  )
)
