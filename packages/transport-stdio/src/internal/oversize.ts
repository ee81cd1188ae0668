/**
 * The id of a message that is too long to be parsed, so that whoever waits for its answer gets one (RPC-5: an error
 * lacks an id only if it could not be read).
 */
import * as JsonRpc from "@effect-mcp/core/JsonRpc"

/** How much of the beginning and of the end of a long line is kept to look for its id. */
export const keptBytes = 512

// Most writers begin with the envelope: `{"jsonrpc":"2.0","id":7,…`
const head = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(-?\d{1,16}|"(?:[^"\\]|\\.){0,256}")\s*,/

// The official SDK ends with it. The last member before the last brace belongs to the outermost object, and a quote
// after a comma or a brace begins a name, so this reads the right id from any text that is JSON.
const tail = /[,{]\s*"id"\s*:\s*(-?\d{1,16}|"(?:[^"\\]|\\.){0,256}")\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/

const read = (pattern: RegExp, text: string): JsonRpc.Id | undefined => {
  const id = pattern.exec(text)?.[1]
  if (id === undefined) return undefined
  // The rules for ids are in one place: a request that has nothing but this id is read by them.
  const message = JsonRpc.parse(`{"jsonrpc":"2.0","id":${id},"method":""}`)
  return message._tag === "Request" ? message.id : undefined
}

/** The id, when the line begins with it. */
export const idInHead = (text: string): JsonRpc.Id | undefined => read(head, text)

/** The id, when the line ends with it. */
export const idInTail = (text: string): JsonRpc.Id | undefined => read(tail, text)

/** Whether the beginning of a line can be that of a message at all. */
export const mayHaveId = (text: string): boolean => /^\s*\{/.test(text)
