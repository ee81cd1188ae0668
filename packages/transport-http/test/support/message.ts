/**
 * Messages of 2026-07-28 and the headers that go with them.
 */
export type Json = Readonly<Record<string, unknown>>

export const version = "2026-07-28"

export const meta: Json = {
  "io.modelcontextprotocol/protocolVersion": version,
  "io.modelcontextprotocol/clientCapabilities": {}
}

export const request = (method: string, params: Json = {}, id: string | number = 1): Json => ({
  jsonrpc: "2.0",
  id,
  method,
  params: { _meta: meta, ...params }
})

export const call = (name: string, args: Json = {}, id: string | number = 1): Json =>
  request("tools/call", { name, arguments: args }, id)

export type HeaderRecord = Readonly<Record<string, string | undefined>>

/** The headers a client sends with a request; `undefined` leaves one away. */
export const headers = (message: Json, overrides: HeaderRecord = {}): Record<string, string> => {
  const params = message.params as Json | undefined
  const name = params?.name ?? params?.uri
  const all: HeaderRecord = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": version,
    "mcp-method": typeof message.method === "string" ? message.method : undefined,
    "mcp-name": typeof name === "string" ? name : undefined,
    ...overrides
  }
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) => value === undefined ? [] : [[name, value] as const])
  )
}
