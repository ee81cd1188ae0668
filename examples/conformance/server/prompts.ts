/** Prompts: plain, with arguments, with a resource, with an image. */
import * as Content from "@effect-mcp/core/Content"
import * as Prompt from "@effect-mcp/core/Prompt"
import * as McpServer from "@effect-mcp/server/McpServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as assets from "./assets.ts"
import * as completion from "./completion.ts"

const SimplePrompt = Prompt.make("test_simple_prompt", { description: "A prompt without arguments" })

const PromptWithArguments = Prompt.make("test_prompt_with_arguments", {
  description: "A prompt with two arguments",
  arguments: {
    arg1: Schema.String.annotate({ description: "The first argument" }),
    arg2: Schema.String.annotate({ description: "The second argument" })
  }
})

const PromptWithEmbeddedResource = Prompt.make("test_prompt_with_embedded_resource", {
  description: "A prompt with a resource in it",
  arguments: { resourceUri: Schema.String.annotate({ description: "The URI of the resource" }) }
})

const PromptWithImage = Prompt.make("test_prompt_with_image", { description: "A prompt with an image in it" })

export const layer = Layer.mergeAll(
  McpServer.prompt(SimplePrompt, () => Effect.succeed("This is a simple prompt for testing.")),
  McpServer.prompt(
    PromptWithArguments,
    ({ arg1, arg2 }) => Effect.succeed(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`),
    { complete: { arg1: completion.oneOf("test", "testValue1"), arg2: completion.oneOf("testValue2") } }
  ),
  McpServer.prompt(PromptWithEmbeddedResource, ({ resourceUri }) =>
    Effect.succeed([
      Prompt.user(Content.resource(
        Content.contents(resourceUri, "Embedded resource content for testing.", { mimeType: "text/plain" })
      )),
      Prompt.user("Please process the embedded resource above.")
    ])),
  McpServer.prompt(PromptWithImage, () =>
    Effect.succeed([
      Prompt.user(Content.image(assets.png, "image/png")),
      Prompt.user("Please analyze the image above.")
    ]))
)
