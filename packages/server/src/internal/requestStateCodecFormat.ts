/**
 * What a sealed state is made of: base64url of
 *
 * ```text
 * version (1) | id of the key (8) | nonce (24) | ciphertext of: when it expires (8) | the payload … | tag (16)
 * ```
 *
 * with the numbers of bytes. All of it is authenticated, and the binding with it.
 */
import * as Base64Url from "effect/encoding/Base64Url"
import * as Result from "effect/Result"
import type { Binding } from "../RequestStateCodec.ts"

/** Bytes. */
export const idLength = 8

const version = 1
const headLength = 1 + idLength
const nonceLength = 24
const boxStart = headLength + nonceLength
const expiryLength = 8
const tagLength = 16
const minLength = boxStart + expiryLength + tagLength

const utf8 = new TextEncoder()
// A payload may begin with what is otherwise taken for a mark of the byte order.
const text = new TextDecoder("utf-8", { ignoreBOM: true })

export interface Sealed {
  /** The version and the id of the key. */
  readonly head: Uint8Array
  readonly nonce: Uint8Array
  readonly box: Uint8Array
}

export interface Content {
  /** Milliseconds since the epoch. */
  readonly expiry: number
  readonly payload: string
}

export const head = (keyId: Uint8Array): Uint8Array => concat(Uint8Array.of(version), keyId)

export const keyId = (head: Uint8Array): Uint8Array => head.subarray(1)

export const print = (sealed: Sealed): string => Base64Url.encode(concat(sealed.head, sealed.nonce, sealed.box))

export const parse = (state: string): Sealed | undefined => {
  const decoded = Base64Url.decode(state)
  if (Result.isFailure(decoded)) return undefined
  const bytes = decoded.success
  // The decoder takes line breaks, padding, and any bits after the last byte; only one text of those bytes was sent.
  if (bytes.length < minLength || bytes[0] !== version || Base64Url.encode(bytes) !== state) return undefined
  return {
    head: bytes.subarray(0, headLength),
    nonce: bytes.subarray(headLength, boxStart),
    box: bytes.subarray(boxStart)
  }
}

/** The characters of a state with this payload. */
export const size = (payload: string): number => Math.ceil((minLength + utf8.encode(payload).length) * 4 / 3)

export const encodeContent = ({ expiry, payload }: Content): Uint8Array => {
  const bytes = concat(new Uint8Array(expiryLength), utf8.encode(payload))
  new DataView(bytes.buffer).setFloat64(0, expiry)
  return bytes
}

export const decodeContent = (bytes: Uint8Array): Content => ({
  expiry: new DataView(bytes.buffer, bytes.byteOffset).getFloat64(0),
  payload: text.decode(bytes.subarray(expiryLength))
})

/** What is authenticated and not sent. As JSON, no two bindings are the same text, whatever is in their members. */
export const associated = (head: Uint8Array, binding: Binding, audience: string | undefined): Uint8Array => {
  const { argumentsDigest, method, name, principal } = binding
  const members = [method, name, argumentsDigest, principal ?? null, binding.audience, audience ?? null]
  return concat(head, utf8.encode(JSON.stringify(members)))
}

const concat = (...parts: ReadonlyArray<Uint8Array>): Uint8Array<ArrayBuffer> => {
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let place = 0
  for (const part of parts) {
    bytes.set(part, place)
    place += part.length
  }
  return bytes
}
