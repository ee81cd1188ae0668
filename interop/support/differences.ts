/**
 * Where the official SDK does something else than the steps expect. Each is asserted as it is: when a new version of the
 * SDK no longer does it, its test fails and the entry goes.
 */

export interface Difference {
  /** The title of the step. */
  readonly step: string
  /** Whose side it is of: only pairs with the official SDK on this side. */
  readonly side: "client" | "server"
  readonly only?: "stdio" | "http"
  readonly reason: string
  /** What the step gives instead. */
  readonly observed: unknown
  /** What the library says about it, every time: the beginning. */
  readonly complaint?: string
}

export const differences: ReadonlyArray<Difference> = [
  {
    step: "tells progress that comes together with the result",
    side: "client",
    only: "stdio",
    reason: "It hands notifications over a microtask later than answers, so that progress which is read in one chunk " +
      "with the answer finds its request gone (modelcontextprotocol/typescript-sdk#2580).",
    observed: [{ content: [{ type: "text", text: "counted" }] }],
    complaint: "Received a progress notification for an unknown token"
  },
  {
    step: "reads a resource of a template whose parameter is encoded",
    side: "server",
    reason: "It gives the parameters of a template as they stand in the URI, percent-encoded.",
    observed: {
      contents: [{
        uri: "files:///docs/z%C3%BCrich%2F1.md",
        mimeType: "text/plain",
        text: "docs and z%C3%BCrich%2F1.md"
      }]
    }
  },
  {
    step: "refuses to complete an unknown argument",
    side: "server",
    reason: "It does not tell an argument that is unknown from one that nobody completes.",
    observed: { unexpected: { completion: { values: [], hasMore: false } } }
  },
  {
    step: "tells nothing of the inside of a tool that broke (TOOL-18)",
    side: "server",
    reason: "Whatever a tool throws is a result with `isError` and the message of the error.",
    observed: { isError: true, tellsSecret: true }
  },
  {
    step: "tells nothing of the inside of a resource that broke (ERR-1)",
    side: "server",
    reason: "The message of whatever is thrown is the message of the answer.",
    observed: { code: -32603, tellsSecret: true }
  }
]
