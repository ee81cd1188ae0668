/** That a pinned server really is: the suite takes whatever revision a server answers with. */
import type { Check, Outcome } from "./judge.ts"

const id = "negotiates"

const headers = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" }

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "conformance", version: "1.0.0" }
  }
}

const check = async (url: string, revision: string): Promise<Check> => {
  const signal = AbortSignal.timeout(10_000)
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(initialize), signal })
  const body = await response.text()
  const answer = /"protocolVersion"\s*:\s*"([^"]*)"/.exec(body)?.[1]
  const session = response.headers.get("mcp-session-id")
  if (session !== null) {
    const about = { "mcp-session-id": session, "mcp-protocol-version": answer ?? revision }
    await (await fetch(url, { method: "DELETE", headers: about, signal })).text()
  }
  return answer === revision ? { id, status: "SUCCESS" } : {
    id,
    status: "FAILURE",
    errorMessage: answer === undefined
      ? `initialize got HTTP ${response.status} without a revision: ${body}`
      : `initialize was answered with ${answer}`
  }
}

/** Offers a server the newest revision that has `initialize`; it has to answer with `revision`. */
export const negotiates = async (url: string, revision: string): Promise<Outcome> => ({
  scenario: id,
  checks: [
    await check(url, revision).catch((error: unknown) => ({ id, status: "FAILURE", errorMessage: `${error}` }))
  ]
})
