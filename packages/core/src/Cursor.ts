/**
 * The cursors of our own lists: where the next page begins.
 *
 * A cursor names the list it belongs to and the position of the last item of the page before, so that a page begins at
 * the right place even when items were added or removed in between. To a client it is opaque, as every server's cursor
 * is. It holds no secret and needs no protection: a forged one only points to another place in the same list.
 *
 * @since 0.1.0
 */
import * as Base64Url from "effect/encoding/Base64Url"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/**
 * Makes the cursor of the page that follows an item.
 *
 * **Details**
 *
 * `list` is the name of the list (the method that reads it, say), and `position` is the key by which its items are
 * ordered, a finite number, of the last item that was sent. A cursor is never the empty string. That one is legal in the
 * protocol, though, and may come from other servers: a client tests for the presence of a cursor, not for its length.
 *
 * **Example** (A cursor and back)
 *
 * ```ts
 * import * as Cursor from "@effect-mcp/core/Cursor"
 *
 * const cursor = Cursor.encode("tools/list", 250)
 * Cursor.decode("tools/list", cursor) // => Option.some(250)
 * Cursor.decode("prompts/list", cursor) // => Option.none()
 * ```
 *
 * @category encoding
 * @since 0.1.0
 */
export const encode = (list: string, position: number): string => Base64Url.encode(JSON.stringify([list, position]))

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
export const decode = (list: string, cursor: string): Option.Option<number> =>
  Base64Url.decodeString(cursor).pipe(
    Result.getSuccess,
    Option.flatMap(decodeContent),
    Option.map(([, position]) => position),
    // One comparison settles the list, the spelling of the number, white space in the JSON, padding and bad UTF-8.
    Option.filter((position) => encode(list, position) === cursor)
  )

const decodeContent = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Tuple([Schema.String, Schema.Finite])))
