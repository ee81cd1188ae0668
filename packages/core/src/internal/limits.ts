import type { Row } from "../Limits.ts"

/**
 * A row keeps its own name as a literal, so that the key and the name cannot differ.
 */
const define = <const Rows extends { readonly [K in keyof Rows]: Row<K & string> }>(rows: Rows): Rows => rows

const KiB = 1024
const MiB = 1024 * KiB
const second = 1_000
const minute = 60 * second
const hour = 60 * minute

export const rows = define({
  messageBytes: {
    name: "messageBytes",
    unit: "bytes",
    default: 4 * MiB,
    sides: ["server", "client"],
    error: "HTTP 413; on stdio the line is skipped and answered with -32600; LimitExceeded on the client",
    description: "One JSON-RPC message: an HTTP body or a line on stdio."
  },
  sseEventBytes: {
    name: "sseEventBytes",
    unit: "bytes",
    default: 8 * MiB,
    sides: ["client"],
    error: "the stream ends with LimitExceeded",
    description: "One event of a server-sent event stream."
  },
  jsonDepth: {
    name: "jsonDepth",
    unit: "levels",
    default: 64,
    sides: ["server", "client"],
    error: "-32600 (HTTP 400); InvalidAnswer on the client",
    description: "Nesting of objects and arrays in a message."
  },
  jsonKeys: {
    name: "jsonKeys",
    unit: "keys",
    default: 100_000,
    sides: ["server", "client"],
    error: "-32600 (HTTP 400); InvalidAnswer on the client",
    description: "Object keys in a message, and objects and lists that stand in lists, all levels together."
  },
  inFlightRequests: {
    name: "inFlightRequests",
    unit: "requests",
    default: 1_024,
    sides: ["server", "client"],
    error:
      "LimitExceeded on the client; on stdio a server stops reading, and after a second refuses with -32603; HTTP 503",
    description:
      "Requests without an answer yet: of one client, on one stdio connection, or of one HTTP server, and likewise the questions of one session."
  },
  batchMessages: {
    name: "batchMessages",
    unit: "messages",
    default: 256,
    sides: ["server", "client"],
    error: "one -32600 for all of it (HTTP 400); LimitExceeded on the client, for the requests it answers",
    description: "Messages in one batch. Only revision 2025-03-26 has batches."
  },
  inFlightNotifications: {
    name: "inFlightNotifications",
    unit: "messages",
    default: 1_024,
    sides: ["server"],
    error: "none: a notification has no answer. It is dropped, with a warning in the server's log",
    description: "Notifications of an extension whose handlers have not ended."
  },
  sessions: {
    name: "sessions",
    unit: "sessions",
    default: 10_000,
    sides: ["server"],
    error: "TooManySessions, HTTP 503: no other is opened until one ends",
    description: "Sessions of the legacy era in the store of sessions, and likewise the connections of HTTP+SSE."
  },
  sessionIdle: {
    name: "sessionIdle",
    unit: "milliseconds",
    default: 30 * minute,
    sides: ["server"],
    error: "none: the session has ended, and the client opens another one",
    description: "How long a session in the store may be unused."
  },
  sessionStreams: {
    name: "sessionStreams",
    unit: "streams",
    default: 8,
    sides: ["server"],
    error: "the oldest of them is ended",
    description: "Streams that one session of the legacy era has opened with GET, over HTTP."
  },
  sessionLifetime: {
    name: "sessionLifetime",
    unit: "milliseconds",
    default: 24 * hour,
    sides: ["server"],
    error: "none: the session has ended, and the client opens another one",
    description: "How old a session in the store may become, however much it is used."
  },
  eventLogEvents: {
    name: "eventLogEvents",
    unit: "events",
    default: 1_024,
    sides: ["server"],
    error: "none: the oldest are forgotten. EventsLost for who resumes before them",
    description: "Events of one session that are kept for a client that resumes, and its streams that have not ended."
  },
  eventLogBytes: {
    name: "eventLogBytes",
    unit: "bytes",
    default: 8 * MiB,
    sides: ["server"],
    error: "none: the oldest are forgotten. EventsLost for who resumes before them",
    description: "Memory for the events of one session that are kept."
  },
  eventLogTotalBytes: {
    name: "eventLogTotalBytes",
    unit: "bytes",
    default: 256 * MiB,
    sides: ["server"],
    error: "none: the oldest are forgotten, whichever session they are of. EventsLost for who resumes before them",
    description: "Memory for the events of all sessions that are kept."
  },
  eventLogAge: {
    name: "eventLogAge",
    unit: "milliseconds",
    default: 5 * minute,
    sides: ["server"],
    error: "none: the event is forgotten. EventsLost for who resumes before it",
    description: "How long an event is kept."
  },
  closeTimeout: {
    name: "closeTimeout",
    unit: "milliseconds",
    default: 10 * second,
    sides: ["server"],
    error: "none: the program ends all the same, with a warning in the server's log",
    description: "How long the layers of a server on stdio may take to be released when it ends."
  },
  streamBuffer: {
    name: "streamBuffer",
    unit: "messages",
    default: 1_024,
    sides: ["server", "client"],
    error:
      "that one ends, the others go on: -32603 on stdio, a closed connection on HTTP, LimitExceeded on the client; of what belongs to no request the oldest is dropped, with a warning",
    description: "Messages that wait for the reader of one stream, which together are no longer than messageBytes."
  },
  sessionSize: {
    name: "sessionSize",
    unit: "characters",
    default: 64 * KiB,
    sides: ["server"],
    error: "-32600",
    description: "What one session remembers as JSON: what its client said of itself, and the resources it is told of."
  },
  sessionSubscriptions: {
    name: "sessionSubscriptions",
    unit: "items",
    default: 1_024,
    sides: ["server"],
    error: "-32600",
    description: "Resources that one session is told of."
  },
  changeBusBuffer: {
    name: "changeBusBuffer",
    unit: "events",
    default: 1_024,
    sides: ["server"],
    error: "that subscription ends with SlowSubscriber, the others go on",
    description: "Events of the change bus that wait for one subscriber."
  },
  pageSize: {
    name: "pageSize",
    unit: "items",
    default: 250,
    sides: ["server"],
    error: "none: the rest of the list is on the next page",
    description: "Items on one page of a list."
  },
  pages: {
    name: "pages",
    unit: "pages",
    default: 1_000,
    sides: ["client"],
    error: "the walk fails with LimitExceeded",
    description: "Pages that a client walks to read one list to its end."
  },
  visibilityVariants: {
    name: "visibilityVariants",
    unit: "page sets",
    default: 64,
    sides: ["server"],
    error: "none: the least recently used set is dropped and prepared again when it is asked for",
    description: "Prepared lists, one for each set of features that some principal may see."
  },
  completionValues: {
    name: "completionValues",
    unit: "completions",
    default: 100,
    sides: ["server"],
    error: "none: the answer is cut and says that there are more (hasMore)",
    description: "Values in one answer to completion/complete. The protocol allows no more than 100."
  },
  headerBytes: {
    name: "headerBytes",
    unit: "bytes",
    default: 8 * KiB,
    sides: ["server", "client"],
    error: "-32020 (HTTP 400); LimitExceeded on the client before anything is sent",
    description: "The value of one header that mirrors a part of the message."
  },
  uriBytes: {
    name: "uriBytes",
    unit: "bytes",
    default: 8 * KiB,
    sides: ["server"],
    error: "-32602",
    description: "A resource URI that a client asks for."
  },
  toolSchemas: {
    name: "toolSchemas",
    unit: "items",
    default: 10_000,
    sides: ["client"],
    error: "none: the oldest is forgotten, and a call of that tool learns its headers anew",
    description: "Tools whose mirrored arguments a client remembers from the lists it has read."
  },
  eraCache: {
    name: "eraCache",
    unit: "items",
    default: 1_000,
    sides: ["client"],
    error: "none: the one that was not met for the longest time is forgotten, and asked again",
    description: "Servers whose era the clients of a process remember."
  },
  stderrTail: {
    name: "stderrTail",
    unit: "characters",
    default: 64 * KiB,
    sides: ["client"],
    error: "none: the oldest are forgotten",
    description: "What is kept of a child's stderr, to show it with an error."
  },
  shutdownGrace: {
    name: "shutdownGrace",
    unit: "milliseconds",
    default: 10 * second,
    sides: ["server"],
    error: "requests still running are interrupted",
    description: "How long requests in flight may finish when a server over HTTP is closed."
  },
  drainTimeout: {
    name: "drainTimeout",
    unit: "milliseconds",
    default: 2 * second,
    sides: ["server"],
    error: "requests still running are interrupted",
    description: "How long requests in flight may finish after the input has ended, and then their finalizers."
  },
  keepAlive: {
    name: "keepAlive",
    unit: "milliseconds",
    default: 15 * second,
    sides: ["server"],
    error: "none: the answer becomes a stream, and a comment is sent on a silent one",
    description: "How long a stream may be silent."
  },
  requestDeadline: {
    name: "requestDeadline",
    unit: "milliseconds",
    default: 60 * second,
    sides: ["client"],
    error: "the call fails with a deadline error and the request is cancelled",
    description: "How long a request may be without an answer or progress."
  },
  requestDeadlineMax: {
    name: "requestDeadlineMax",
    unit: "milliseconds",
    default: 600 * second,
    sides: ["client"],
    error: "the call fails with a deadline error and the request is cancelled",
    description: "How long a request may take in all, however much progress it reports."
  },
  askDeadline: {
    name: "askDeadline",
    unit: "milliseconds",
    default: 600 * second,
    sides: ["server"],
    error: "the question fails with -32603 in its handler, and is withdrawn",
    description: "How long a client of the legacy era, or a person there, may take to answer a question of the server."
  },
  inputRounds: {
    name: "inputRounds",
    unit: "rounds",
    default: 10,
    sides: ["server", "client"],
    error: "TooManyRounds in the handler, and -32603 to the client; on the client's side LimitExceeded",
    description: "Rounds in which one request may ask for input."
  },
  requestStateSize: {
    name: "requestStateSize",
    unit: "characters",
    default: 64 * KiB,
    sides: ["server"],
    error: "StateTooLarge in the handler; -32602 for a longer one that a client sends",
    description: "What a request remembers between its rounds, as it is sealed for the client to carry."
  },
  requestStateTtl: {
    name: "requestStateTtl",
    unit: "milliseconds",
    default: 10 * minute,
    sides: ["server"],
    error: "-32602: the client makes the request anew",
    description: "How long a client, or a person there, may take to answer what one round of a request asks."
  },
  nonces: {
    name: "nonces",
    unit: "items",
    default: 100_000,
    sides: ["server"],
    error: "TooManyNonces, -32603: nothing that is good for one use is taken until one expires",
    description: "Nonces in the store of those that were used."
  },
  discoverTimeout: {
    name: "discoverTimeout",
    unit: "milliseconds",
    default: 10 * second,
    sides: ["client"],
    error: "DeadlineExceeded",
    description:
      "How long a server may take to answer a client that connects, if the client has no deadline of its own."
  },
  reconnectAttempts: {
    name: "reconnectAttempts",
    unit: "attempts",
    default: 10,
    sides: ["client"],
    error:
      "a call fails with StreamEnded; the stream that belongs to no call is given up, with a warning in the client's log",
    description: "Attempts in a row to go on with a stream of a legacy session that bring nothing."
  },
  closeStdinTimeout: {
    name: "closeStdinTimeout",
    unit: "milliseconds",
    default: 2 * second,
    sides: ["client"],
    error: "the child is sent SIGTERM",
    description: "How long a child may run on after its stdin was closed."
  },
  terminateTimeout: {
    name: "terminateTimeout",
    unit: "milliseconds",
    default: 2 * second,
    sides: ["client"],
    error: "the child is sent SIGKILL",
    description: "How long a child may run on after SIGTERM."
  }
})
