/**
 * Reading text that must be UTF-8.
 */
// A byte order mark is left in place: it is no JSON, and so it is answered as such.
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** The text of a whole message; `undefined` when it is not UTF-8 (RPC-9). */
export const decode = (bytes: ArrayBuffer | Uint8Array): string | undefined => {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}
