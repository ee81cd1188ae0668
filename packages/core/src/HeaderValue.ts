/**
 * Text in the value of an HTTP header that mirrors a part of a message (`Mcp-Name`, `Mcp-Param-*`).
 *
 * A header field holds visible ASCII and inner spaces only. Any other text is carried as `=?base64?...?=`, with the
 * base64 of its UTF-8 between the markers.
 *
 * @since 0.1.0
 */
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

const prefix = "=?base64?"
const suffix = "?="

/**
 * A header value that stands for no text.
 *
 * **Details**
 *
 * `Base64` is a payload that is not the strict base64 of UTF-8 text: another alphabet, wrong padding, line breaks, set
 * bits after the end. `Character` is a character that may not stand in a value without encoding. The value itself is
 * not repeated in the message, since it is a part of the peer's arguments.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidHeaderValue
  extends Schema.Error<InvalidHeaderValue>("@effect-mcp/core/HeaderValue/InvalidHeaderValue")({
    _tag: Schema.tag("InvalidHeaderValue"),
    reason: Schema.Literals(["Base64", "Character"])
  })
{
  override get message(): string {
    return this.reason === "Base64"
      ? "the text between =?base64? and ?= is not the base64 of UTF-8 text"
      : "the value has characters outside visible ASCII and space, which are sent as =?base64?...?="
  }
}

/**
 * The header value of a text: as it is where that is safe, encoded otherwise.
 *
 * **Details**
 *
 * Encoded are texts with a control character (tab and DEL included) or a character outside ASCII, texts that begin or
 * end with a space, which a recipient trims, and texts that look encoded themselves. The empty text is an empty value.
 *
 * **Gotchas**
 *
 * UTF-8 has no form for half a surrogate pair. It is sent as U+FFFD, so a server will find that the header and the body
 * disagree.
 *
 * **Example** (Encoding)
 *
 * ```ts
 * import * as HeaderValue from "@effect-mcp/core/HeaderValue"
 *
 * HeaderValue.encode("us-west1") // => "us-west1"
 * HeaderValue.encode("Zürich") // => "=?base64?WsO8cmljaA==?="
 * ```
 *
 * @category encoding
 * @since 0.1.0
 */
export const encode = (text: string): string =>
  isPlain(text) && !isSpace(text, 0) && !isSpace(text, text.length - 1) && !looksEncoded(text)
    ? text
    : `${prefix}${Base64.encode(text)}${suffix}`

/**
 * The text of a header value.
 *
 * **Details**
 *
 * Spaces and tabs around the value belong to the header and are removed. The markers are exact, in lower case: a value
 * that lacks one of them is plain text. An encoded value is decoded once.
 *
 * **Example** (Decoding)
 *
 * ```ts
 * import * as HeaderValue from "@effect-mcp/core/HeaderValue"
 *
 * HeaderValue.decode(" =?base64?WsO8cmljaA==?= ") // => Result.succeed("Zürich")
 * HeaderValue.decode("=?base64?WsO8cmljaA==") // => Result.succeed("=?base64?WsO8cmljaA==")
 * HeaderValue.decode("=?base64?WsO8cmljaA?=") // => Result.fail(InvalidHeaderValue)
 * ```
 *
 * @category decoding
 * @since 0.1.0
 */
export const decode = (value: string): Result.Result<string, InvalidHeaderValue> => {
  const trimmed = trim(value)
  if (!isPlain(trimmed)) return Result.fail(new InvalidHeaderValue({ reason: "Character" }))
  // Markers that overlap, as in `=?base64?=`, have no room for a payload: that is plain text.
  if (!looksEncoded(trimmed) || trimmed.length < prefix.length + suffix.length) return Result.succeed(trimmed)
  const payload = trimmed.slice(prefix.length, -suffix.length)
  const bytes = Base64.decode(payload)
  if (Result.isFailure(bytes)) return Result.fail(new InvalidHeaderValue({ reason: "Base64" }))
  const text = utf8.decode(bytes.success)
  // What was not UTF-8 has become U+FFFD, and what was not canonical base64 has another spelling: encoding again shows
  // both at once, and does not throw as a fatal decoder does.
  return Base64.encode(text) === payload
    ? Result.succeed(text)
    : Result.fail(new InvalidHeaderValue({ reason: "Base64" }))
}

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true })

const looksEncoded = (text: string): boolean => text.startsWith(prefix) && text.endsWith(suffix)

const isSpace = (text: string, index: number): boolean => text.charCodeAt(index) === 0x20

const isPlain = (text: string): boolean => {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code < 0x20 || code > 0x7e) return false
  }
  return true
}

// By hand, because `trim` removes much more than the optional white space of a header, and a pattern anchored at the
// end takes quadratic time on a long run of spaces.
const trim = (value: string): string => {
  let start = 0
  let end = value.length
  while (start < end && isOptionalWhiteSpace(value.charCodeAt(start))) start++
  while (end > start && isOptionalWhiteSpace(value.charCodeAt(end - 1))) end--
  return value.slice(start, end)
}

const isOptionalWhiteSpace = (code: number): boolean => code === 0x20 || code === 0x09
