/**
 * Blocks of content for tools and prompts. The blocks are values of the wire model; binary data becomes base64 once,
 * where a block is made.
 *
 * @since 0.1.0
 */
import * as Base64 from "effect/encoding/Base64"
import type * as Result from "effect/Result"
import type { Annotations, Icon, JsonObject } from "./schema/Common.ts"
import type {
  AudioContent,
  ContentBlock,
  EmbeddedResource,
  ImageContent,
  ResourceContents,
  ResourceLink,
  TextContent
} from "./schema/Content.ts"

/**
 * A block of content.
 *
 * @category models
 * @since 0.1.0
 */
export type Content = ContentBlock

/**
 * What every block may carry beside its content (RES-13, META-19).
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  readonly annotations?: Annotations | undefined
  readonly meta?: JsonObject | undefined
}

/** Only members that are there, so that a block prints and compares without empty ones. */
const rest = (options: Options | undefined) => ({
  ...(options?.annotations === undefined ? undefined : { annotations: options.annotations }),
  ...(options?.meta === undefined ? undefined : { _meta: options.meta })
})

/**
 * A block of text.
 *
 * **Example** (Text for the user only)
 *
 * ```ts
 * import * as Content from "@effect-mcp/core/Content"
 *
 * const block = Content.text("Done", { annotations: { audience: ["user"] } })
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const text = (text: string, options?: Options | undefined): TextContent => ({
  type: "text",
  text,
  ...rest(options)
})

/**
 * An image, from its bytes or from base64.
 *
 * @category constructors
 * @since 0.1.0
 */
export const image = (data: Uint8Array | string, mimeType: string, options?: Options | undefined): ImageContent => ({
  type: "image",
  data: base64(data),
  mimeType,
  ...rest(options)
})

/**
 * A sound, from its bytes or from base64. From 2025-03-26 on (TOOL-13).
 *
 * @category constructors
 * @since 0.1.0
 */
export const audio = (data: Uint8Array | string, mimeType: string, options?: Options | undefined): AudioContent => ({
  type: "audio",
  data: base64(data),
  mimeType,
  ...rest(options)
})

/**
 * A link to a resource, which need not be in any list (TOOL-14). From 2025-06-18 on.
 *
 * @category constructors
 * @since 0.1.0
 */
export const resourceLink = (
  link: {
    readonly uri: string
    readonly name: string
    readonly title?: string | undefined
    readonly description?: string | undefined
    readonly mimeType?: string | undefined
    readonly size?: number | undefined
    readonly icons?: ReadonlyArray<Icon> | undefined
  },
  options?: Options | undefined
): ResourceLink => ({ type: "resource_link", ...link, ...rest(options) })

/**
 * A resource inside the content.
 *
 * @category constructors
 * @since 0.1.0
 */
export const resource = (contents: ResourceContents, options?: Options | undefined): EmbeddedResource => ({
  type: "resource",
  resource: contents,
  ...rest(options)
})

/**
 * The contents of a resource: text, or bytes as a base64 blob.
 *
 * @category constructors
 * @since 0.1.0
 */
export const contents = (
  uri: string,
  value: string | Uint8Array,
  options?: { readonly mimeType?: string | undefined; readonly meta?: JsonObject | undefined } | undefined
): ResourceContents => {
  const common = {
    ...(options?.mimeType === undefined ? undefined : { mimeType: options.mimeType }),
    ...(options?.meta === undefined ? undefined : { _meta: options.meta })
  }
  return typeof value === "string"
    ? { uri, ...common, text: value }
    : { uri, ...common, blob: Base64.encode(value) }
}

/**
 * The bytes of an image, a sound or a blob, unless it is no base64.
 *
 * **Example** (Reading an image)
 *
 * ```ts
 * import * as Content from "@effect-mcp/core/Content"
 *
 * const image = Content.image(new Uint8Array([1, 2, 3]), "image/png")
 * const bytes = Content.bytes(image.data) // Result.succeed(new Uint8Array([1, 2, 3]))
 * ```
 *
 * @category getters
 * @since 0.1.0
 */
export const bytes = (data: string): Result.Result<Uint8Array, unknown> => Base64.decode(data)

const base64 = (data: Uint8Array | string): string => typeof data === "string" ? data : Base64.encode(data)
