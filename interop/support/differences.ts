/**
 * Where the official SDK does something else than the steps expect. Each is asserted as it is: when a new version of the
 * SDK no longer does it, its test fails and the entry goes.
 */

import type * as Revision from "@effect-mcp/core/Revision"
import * as contract from "../fixtures/contract.ts"
import { theModel } from "../fixtures/questions.ts"
import type { Transport } from "./pairs.ts"
import { titles } from "./questionSteps.ts"

export interface Difference {
  /** The title of the step. */
  readonly step: string
  /** Whose it is: only pairs that have this library on this side. */
  readonly library: "official" | "v1"
  readonly side: "client" | "server"
  readonly only?: Transport
  /** The revisions it is of, by default all: the first and the last. */
  readonly from?: Revision.Revision
  readonly until?: Revision.Revision
  /** Whether the step may give what it should, as chance has it. */
  readonly sometimes?: boolean
  readonly reason: string
  /** What the step gives instead. */
  readonly observed: unknown
  /** What the library says about it, every time: the beginning. */
  readonly complaint?: string
}

const encoded = {
  contents: [{
    uri: "files:///docs/z%C3%BCrich%2F1.md",
    mimeType: "text/plain",
    text: "docs and z%C3%BCrich%2F1.md"
  }]
}

const refused = { got: { isError: true }, shown: [{ model: theModel(contract.unwanted) }] }

/** What both versions of the server do. */
const ofServers = (library: "official" | "v1"): ReadonlyArray<Difference> => [
  {
    step: "reads a resource of a template whose parameter is encoded",
    library,
    side: "server",
    reason: "It gives the parameters of a template as they stand in the URI, percent-encoded.",
    observed: encoded
  },
  {
    step: "refuses to complete an unknown argument",
    library,
    side: "server",
    reason: "It does not tell an argument that is unknown from one that nobody completes.",
    observed: { unexpected: { completion: { values: [], hasMore: false } } }
  },
  {
    step: "tells nothing of the inside of a tool that broke (TOOL-18)",
    library,
    side: "server",
    reason: "Whatever a tool throws is a result with `isError` and the message of the error.",
    observed: { isError: true, tellsSecret: true }
  },
  {
    step: "tells nothing of the inside of a resource that broke (ERR-1)",
    library,
    side: "server",
    reason: "The message of whatever is thrown is the message of the answer.",
    observed: { code: -32603, tellsSecret: true }
  },
  {
    step: titles.refuses,
    library,
    side: "server",
    until: "2025-11-25",
    reason: "Whatever a tool throws is a result with `isError`, and so is what the client has refused.",
    observed: refused
  }
]

/** What both versions of the client do, over a transport that may bring progress and answer in one chunk. */
const ofClients = (library: "official" | "v1", only: Transport): Difference => ({
  step: "tells progress that comes together with the result",
  library,
  side: "client",
  only,
  reason: "It hands notifications over a microtask later than answers, so that progress which is read in one chunk " +
    "with the answer finds its request gone (modelcontextprotocol/typescript-sdk#2580).",
  observed: [{ content: [{ type: "text", text: "counted" }] }],
  complaint: "Received a progress notification for an unknown token"
})

export const differences: ReadonlyArray<Difference> = [
  ...ofServers("official"),
  ...ofServers("v1"),
  ofClients("official", "stdio"),
  ofClients("v1", "stdio"),
  // Each event is written by itself, and what is read together is for the network to say.
  { ...ofClients("v1", "sse"), sometimes: true },
  {
    step: "refuses an unknown tool (TOOL-18)",
    library: "v1",
    side: "server",
    reason: "Whatever goes wrong with a tool is a result with `isError`, that there is none as well.",
    observed: {
      unexpected: { content: [{ type: "text", text: "MCP error -32602: Tool nope not found" }], isError: true }
    }
  },
  {
    step: "refuses an unknown resource (RES-5)",
    library: "v1",
    side: "server",
    reason: "It has one code for whatever is wrong with the params, and does not repeat the URI.",
    observed: { code: -32602 }
  },
  {
    step: "refuses an unknown resource (RES-5)",
    library: "official",
    side: "client",
    until: "2025-11-25",
    reason: "It reads the code of the legacy era as that of the modern one.",
    observed: { code: -32602, data: { uri: "notes://nope" } }
  },
  {
    step: "refuses a subscription to what is no resource (RES-5)",
    library: "official",
    side: "client",
    reason: "It reads the code of the legacy era as that of the modern one.",
    observed: { code: -32602, data: { uri: "notes://nope" } }
  }
]
