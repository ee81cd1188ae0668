/**
 * UTF-8 to text. The strict decoder throws on invalid input; here that is a value.
 */

// A byte order mark is kept: whether one is allowed depends on where it is, which is for the reader to say.
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
const lenient = new TextDecoder("utf-8", { ignoreBOM: true })

/** `undefined` when the bytes are not UTF-8. */
export const decodeStrict = (bytes: Uint8Array): string | undefined => {
  try {
    return strict.decode(bytes)
  } catch {
    return undefined
  }
}

/** Whatever can be read, for people to look at. */
export const decodeLenient = (bytes: Uint8Array): string => lenient.decode(bytes)

/** A decoder for text that comes in pieces, for people to look at. */
export const makeLenientStream = (): (bytes: Uint8Array) => string => {
  const decoder = new TextDecoder("utf-8")
  return (bytes) => decoder.decode(bytes, { stream: true })
}

const encoder = new TextEncoder()

export const encode = (text: string): Uint8Array => encoder.encode(text)
