/** Which clients meet which servers, and how. */
import type * as Revision from "@effect-mcp/core/Revision"
import type { Library } from "./process.ts"

export type Transport = "stdio" | "http" | "sse"

export interface Pair {
  readonly client: Library
  readonly server: Library
  readonly transport: Transport
  /** The arguments of the server. */
  readonly args: ReadonlyArray<string>
  /** What the client wants: this revision only, the legacy era, or the newest there is. */
  readonly wants: "pin" | "legacy" | "newest"
  /** What they settle on. */
  readonly revision: Revision.Revision
  /** Whether they go through all steps, or through those alone that show a revision. */
  readonly all: boolean
  /** Whether the server remembers anything of the client. */
  readonly sessions: boolean
  /** Whether the server can ask the client anything. */
  readonly asks: boolean
  /**
   * What the client does when it is asked: it has the library answer with its handlers, or answers round by round, or
   * declares nothing. All but the first go through those steps alone in which something is asked.
   */
  readonly answers: "handlers" | "manual" | "nobody"
}

const modern: Revision.Revision = "2026-07-28"
const newest: Revision.Revision = "2025-11-25"
const older: ReadonlyArray<Revision.Revision> = ["2025-06-18", "2025-03-26", "2024-11-05"]

const pair = (
  client: Library,
  server: Library,
  transport: Transport,
  args: ReadonlyArray<string>,
  options: Partial<Pair> = {}
): Pair => ({
  client,
  server,
  transport,
  args,
  wants: "newest",
  revision: newest,
  all: true,
  sessions: true,
  asks: true,
  answers: "handlers",
  ...options
})

/** Revision 2026-07-28 of both. */
export const ofModern: ReadonlyArray<Pair> = [
  pair("official", "ours", "stdio", ["stdio"], { wants: "pin", revision: modern }),
  pair("official", "ours", "http", ["http"], { wants: "pin", revision: modern }),
  pair("official", "ours", "http", ["http-portable"], { wants: "pin", revision: modern }),
  pair("ours", "official", "stdio", ["stdio"], { revision: modern }),
  pair("ours", "official", "http", ["http"], { revision: modern })
]

/** Version 1 of the official SDK. Its client offers its newest revision, so that an older one is for the server to choose. */
export const ofVersion1: ReadonlyArray<Pair> = [
  pair("v1", "ours", "stdio", ["stdio"]),
  pair("v1", "ours", "http", ["http"]),
  pair("v1", "ours", "http", ["http-portable"], { all: false }),
  pair("v1", "ours", "http", ["http-stateless"], { all: false, sessions: false, asks: false }),
  pair("v1", "ours", "sse", ["sse"]),
  pair("v1", "ours", "sse", ["sse-portable"], { all: false }),
  pair("ours", "v1", "stdio", ["stdio"]),
  pair("ours", "v1", "http", ["http"]),
  pair("ours", "v1", "sse", ["sse"], { revision: "2024-11-05" }),
  ...older.flatMap((revision) => [
    pair("v1", "ours", "stdio", ["stdio", revision], { revision, all: false }),
    pair("v1", "ours", "http", ["http", revision], { revision, all: false }),
    pair("ours", "v1", "stdio", ["stdio"], { wants: "pin", revision, all: false }),
    pair("ours", "v1", "http", ["http"], { wants: "pin", revision, all: false })
  ])
]

/** Version 2 of the official SDK where it is of the legacy era, or finds out. */
export const ofVersion2: ReadonlyArray<Pair> = [
  pair("official", "ours", "stdio", ["stdio"], { wants: "legacy" }),
  pair("official", "ours", "http", ["http"], { wants: "legacy" }),
  pair("official", "ours", "stdio", ["stdio"], { revision: modern, all: false }),
  pair("official", "ours", "http", ["http"], { revision: modern, all: false }),
  pair("official", "ours", "stdio", ["stdio", newest], { all: false }),
  pair("official", "ours", "http", ["http", newest], { all: false }),
  pair("ours", "official", "stdio", ["both-stdio"], { wants: "legacy" }),
  pair("ours", "official", "http", ["both-http"], { wants: "legacy" }),
  pair("ours", "official", "http", ["stateless-http"], { wants: "legacy", all: false, asks: false }),
  pair("ours", "official", "stdio", ["both-stdio"], { revision: modern, all: false }),
  pair("ours", "official", "http", ["both-http"], { revision: modern, all: false })
]

/** Other ways to be asked than by handlers. */
export const ofQuestions: ReadonlyArray<Pair> = [
  pair("official", "ours", "stdio", ["stdio"], { wants: "pin", revision: modern, answers: "manual" }),
  pair("official", "ours", "http", ["http"], { wants: "pin", revision: modern, answers: "manual" }),
  pair("ours", "official", "stdio", ["stdio"], { revision: modern, answers: "manual" }),
  pair("ours", "official", "http", ["http"], { revision: modern, answers: "manual" }),
  pair("official", "ours", "stdio", ["stdio"], { wants: "pin", revision: modern, answers: "nobody" }),
  pair("v1", "ours", "http", ["http"], { answers: "nobody" }),
  pair("ours", "official", "http", ["http"], { revision: modern, answers: "nobody" }),
  pair("ours", "v1", "stdio", ["stdio"], { answers: "nobody" })
]

export const pairs: ReadonlyArray<Pair> = [...ofModern, ...ofVersion1, ...ofVersion2, ...ofQuestions]

export const nameOf = ({ answers, args, client, revision, server, wants }: Pair): string =>
  `${client} client that wants ${wants}, ${server} server ${args.join(" ")}: ${revision}` +
  (answers === "handlers" ? "" : answers === "manual" ? ", answered by hand" : ", where nobody answers")
