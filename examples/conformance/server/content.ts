/** Tools that answer with each kind of content. */
import * as Content from "@effect-mcp/core/Content"
import * as Tool from "@effect-mcp/core/Tool"
import * as McpServer from "@effect-mcp/server/McpServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as assets from "./assets.ts"

const SimpleText = Tool.make("test_simple_text", { description: "Answers with text" })

const ImageContent = Tool.make("test_image_content", { description: "Answers with an image" })

const AudioContent = Tool.make("test_audio_content", { description: "Answers with a sound" })

const EmbeddedResource = Tool.make("test_embedded_resource", { description: "Answers with a resource" })

const MultipleContentTypes = Tool.make("test_multiple_content_types", {
  description: "Answers with text, an image and a resource"
})

export const layer = Layer.mergeAll(
  McpServer.tool(SimpleText, () => Effect.succeed("This is a simple text response for testing.")),
  McpServer.tool(ImageContent, () => Effect.succeed(Content.image(assets.png, "image/png"))),
  McpServer.tool(AudioContent, () => Effect.succeed(Content.audio(assets.wav, "audio/wav"))),
  McpServer.tool(EmbeddedResource, () =>
    Effect.succeed(Content.resource(
      Content.contents("test://embedded-resource", "This is an embedded resource content.", { mimeType: "text/plain" })
    ))),
  McpServer.tool(MultipleContentTypes, () =>
    Effect.succeed([
      Content.text("Multiple content types test:"),
      Content.image(assets.png, "image/png"),
      Content.resource(
        Content.contents("test://mixed-content-resource", `{"test":"data","value":123}`, {
          mimeType: "application/json"
        })
      )
    ]))
)
