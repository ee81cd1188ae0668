/**
 * The cursors of our own lists: where the next page begins.
 *
 * A cursor names the last item of the page before and its place, so that a page begins at the right item even when
 * others were added or removed in between, and whichever process reads it. To a client it is opaque, as every server's
 * cursor is. It holds no secret and needs no protection: a forged one only points to another place in the same list.
 *
 * @since 0.1.0
 */
import * as Base64Url from "effect/encoding/Base64Url"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/**
 * Where a page ended.
 *
 * @category models
 * @since 0.1.0
 */
export interface Position {
  /** The key of the last item. */
  readonly key: string
  /** The number by which that item was ordered. */
  readonly place: number
  /** Whose numbers these are: two processes may order the same items by different ones. */
  readonly run: number
}

/**
 * Makes the cursor of the page that follows a position. `list` is the name of the list.
 *
 * **Gotchas**
 *
 * A cursor is never the empty string. That one is legal in the protocol, though, and may come from other servers: a client
 * tests for the presence of a cursor, not for its length.
 *
 * **Example** (A cursor and back)
 *
 * ```ts
 * import * as Cursor from "@effect-mcp/core/Cursor"
 *
 * const cursor = Cursor.encode("tools", { key: "add", place: 250, run: 7 })
 * Cursor.decode("tools", cursor) // => Option.some({ key: "add", place: 250, run: 7 })
 * Cursor.decode("prompts", cursor) // => Option.none()
 * ```
 *
 * @category encoding
 * @since 0.1.0
 */
export const encode = (list: string, { key, place, run }: Position): string =>
  Base64Url.encode(JSON.stringify([list, key, place, run]))

/**
 * The position in a cursor of the given list.
 *
 * **Details**
 *
 * Strict: anything that {@link encode} does not make, for this very list, is `None`, which a server answers with
 * `-32602`.
 *
 * @category decoding
 * @since 0.1.0
 */
export const decode = (list: string, cursor: string): Option.Option<Position> =>
  Base64Url.decodeString(cursor).pipe(
    Result.getSuccess,
    Option.flatMap(decodeContent),
    Option.map(([, key, place, run]) => ({ key, place, run })),
    // One comparison settles the list, the spelling of the numbers, white space in the JSON, padding and bad UTF-8.
    Option.filter((position) => encode(list, position) === cursor)
  )

const decodeContent = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Tuple([Schema.String, Schema.String, Schema.Finite, Schema.Finite]))
)
