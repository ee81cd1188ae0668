/**
 * The contract of a resource: its URI and what is known of it without reading it.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import * as Content from "./Content.ts"
import type { Annotations, Icon, JsonObject } from "./schema/Common.ts"
import type { ResourceContents } from "./schema/Content.ts"
import type * as Wire from "./schema/Resources.ts"

const TypeId = "~@effect-mcp/core/Resource"

/**
 * A resource.
 *
 * @category models
 * @since 0.1.0
 */
export interface Resource<out Uri extends string = string> {
  readonly [TypeId]: typeof TypeId
  readonly uri: Uri
  /** The resource as it stands in lists, prepared once. */
  readonly definition: Wire.Resource
}

/**
 * What reading a resource may give: text, bytes, or contents made with `Content.contents`, one or several (RES-4).
 *
 * @category models
 * @since 0.1.0
 */
export type Success = string | Uint8Array | ResourceContents | ReadonlyArray<ResourceContents>

/**
 * The options of {@link make}.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** By default the URI (RES-2 wants a name). */
  readonly name?: string | undefined
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly mimeType?: string | undefined
  /** Bytes. */
  readonly size?: number | undefined
  readonly annotations?: Annotations | undefined
  readonly icons?: ReadonlyArray<Icon> | undefined
  readonly meta?: JsonObject | undefined
}

/**
 * A URI that is none: it has no scheme, or a character that no URI has (RES-11, RES-12).
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidUri extends Schema.TaggedError<InvalidUri>("@effect-mcp/core/Resource/InvalidUri")("InvalidUri", {
  uri: Schema.String
}) {
  override get message(): string {
    return `Not an absolute URI: ${
      JSON.stringify(this.uri)
    }; it needs a scheme, as in notes://today, and no spaces or braces`
  }
}

/** A scheme, and none of the ASCII characters that RFC 3986 leaves out. Others are let pass, as in an IRI. */
// oxlint-disable-next-line no-control-regex
const absoluteUri = /^[A-Za-z][A-Za-z0-9+.-]*:[^\u0000-\u0020"<>\\^`{|}\u007f]*$/

/**
 * Defines a resource: one thing with a URI of its own. Throws {@link InvalidUri}, since it is written in code.
 *
 * **Example** (A resource)
 *
 * ```ts
 * import * as Resource from "@effect-mcp/core/Resource"
 *
 * const Today = Resource.make("notes://today", { title: "Notes of today", mimeType: "text/markdown" })
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = <const Uri extends string>(uri: Uri, options: Options = {}): Resource<Uri> => {
  if (!absoluteUri.test(uri)) throw new InvalidUri({ uri })
  return {
    [TypeId]: TypeId,
    uri,
    definition: {
      uri,
      name: options.name ?? uri,
      ...(options.title === undefined ? undefined : { title: options.title }),
      ...(options.description === undefined ? undefined : { description: options.description }),
      ...(options.mimeType === undefined ? undefined : { mimeType: options.mimeType }),
      ...(options.size === undefined ? undefined : { size: options.size }),
      ...(options.annotations === undefined ? undefined : { annotations: options.annotations }),
      ...(options.icons === undefined ? undefined : { icons: options.icons }),
      ...(options.meta === undefined ? undefined : { _meta: options.meta })
    }
  }
}

/**
 * The contents of a resource as the wire has them: text or bytes get the URI and the media type of the resource.
 *
 * @category converting
 * @since 0.1.0
 */
export const toContents = (
  uri: string,
  mimeType: string | undefined,
  success: Success
): ReadonlyArray<ResourceContents> =>
  typeof success === "string" || success instanceof Uint8Array
    ? [Content.contents(uri, success, { mimeType })]
    : isList(success)
    ? success
    : [success]

const isList = <A>(u: A | ReadonlyArray<A>): u is ReadonlyArray<A> => Array.isArray(u)
