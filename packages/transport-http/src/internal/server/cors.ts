/**
 * What browsers are told about requests across origins.
 */
import type { Access } from "./access.ts"
import { type ExtraHeaders, noHeaders } from "./reply.ts"

/** The headers of the protocol that a page has to be allowed to send. */
const requestHeaders = [
  "authorization",
  "content-type",
  "mcp-protocol-version",
  "mcp-session-id",
  "last-event-id",
  "mcp-method",
  "mcp-name"
]

// Which parameters are mirrored is for the tools to say, so there is no list of them.
const parameterHeader = /^mcp-param-[!#$%&'*+\-.^_`|~0-9a-z]+$/

/** The headers of an answer. A page may read `WWW-Authenticate` too, since it has to know where to get a token. */
export const corsHeaders = (access: Access, origin: string): ExtraHeaders =>
  access.isCorsOrigin(origin)
    ? {
      "access-control-allow-origin": origin,
      "access-control-expose-headers": "mcp-session-id, www-authenticate",
      vary: "Origin"
    }
    : access.cors
    ? varies
    : noHeaders

const varies: ExtraHeaders = { vary: "Origin" }

/** The headers of the answer to a preflight request. */
export const preflightHeaders = (
  origin: string,
  requested: string | undefined,
  hasSessions: boolean
): ExtraHeaders => {
  const parameters = (requested ?? "").toLowerCase().split(",").map((name) => name.trim()).filter((name) =>
    parameterHeader.test(name)
  )
  return {
    "access-control-allow-origin": origin,
    "access-control-allow-methods": hasSessions ? "POST, GET, DELETE" : "POST",
    "access-control-allow-headers": [...requestHeaders, ...parameters].join(", "),
    "access-control-max-age": "600",
    vary: "Origin, Access-Control-Request-Headers"
  }
}
