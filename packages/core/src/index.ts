/**
 * What has changed, told to whoever wants to know.
 *
 * Everything that leads to a change notification is published here as a {@link Fact}, and every stream that tells a
 * client about changes is a subscriber. With {@link layerMemory} both are in one process; a layer on a message broker
 * lets a change on one node reach the clients of all of them.
 *
 * **The bus is a hint, the store is the truth.** A fact says that something changed, not what it is now: a reader looks
 * that up. That is why a {@link Resync} can stand for any number of facts that were lost.
 *
 * **Channels and sequences.** Facts of one kind are one channel, and facts of one extension are one channel. A channel
 * has a sequence that starts at 1 and grows by 1 with every fact, whether or not anyone listens, so that a layer sees a
 * hole when its broker loses messages. URIs share the channel of `ResourceUpdated`: a sequence for each of them would
 * need memory for every URI ever published. A subscriber sees the facts of a channel in order, and since its filter
 * leaves some out, a jump in the sequence means nothing to it; holes are found before the filter, by the layer, which
 * then sends a {@link Resync}.
 *
 * @since 0.1.0
 */
export * as ChangeBus from "./ChangeBus.ts"

/**
 * The seam between a client and its transport: send one request and get its answer, with what belongs to it on the way.
 *
 * @since 0.1.0
 */
export * as ClientTransport from "./ClientTransport.ts"

/**
 * Blocks of content for tools and prompts. The blocks are values of the wire model; binary data becomes base64 once,
 * where a block is made.
 *
 * @since 0.1.0
 */
export * as Content from "./Content.ts"

/**
 * The cursors of our own lists: where the next page begins.
 *
 * A cursor names the last item of the page before and its place, so that a page begins at the right item even when
 * others were added or removed in between, and whichever process reads it. To a client it is opaque, as every server's
 * cursor is. It holds no secret and needs no protection: a forged one only points to another place in the same list.
 *
 * @since 0.1.0
 */
export * as Cursor from "./Cursor.ts"

/**
 * The answer to a form: the defaults of its fields, and whether the values fit. A client checks an answer before it is
 * sent, and a server when it has come (ELI-12).
 *
 * @since 0.1.0
 */
export * as ElicitationForm from "./ElicitationForm.ts"

/**
 * What was sent on the event streams of the legacy HTTP transport, for a client that lost its connection and wants to go
 * on where it was (LHTTP-10, LHTTP-17).
 *
 * Every event of a stream is appended before it is sent, and is sent with the id that `append` gave. A client that comes
 * back with the last id it has seen gets what followed *on that stream* and no other (LHTTP-18), and then whatever is
 * still appended.
 *
 * **Ids** are opaque, visible ASCII without spaces, and unique wherever they were made. Each belongs to one event of one
 * stream of one session (LHTTP-16); to another session it is one that was never given.
 *
 * **Loss is said, never hidden.** The log is bounded in count, bytes and age (the limits `eventLogEvents`,
 * `eventLogBytes`, `eventLogTotalBytes`, `eventLogAge`), and trims the oldest events first. Who asks for events of which
 * some were trimmed gets {@link EventsLost} and nothing else.
 *
 * @since 0.1.0
 */
export * as EventLog from "./EventLog.ts"

/**
 * How methods, notifications, kinds of result, listen filters and settings are added to the protocol without touching
 * `core`: an extension is a value both sides share, and it is off until a side is given it (EXT-4).
 *
 * @since 0.1.0
 */
export * as Extension from "./Extension.ts"

/**
 * Text in the value of an HTTP header that mirrors a part of a message (`Mcp-Name`, `Mcp-Param-*`).
 *
 * A header field holds visible ASCII and inner spaces only. Any other text is carried as `=?base64?...?=`, with the
 * base64 of its UTF-8 between the markers.
 *
 * @since 0.1.0
 */
export * as HeaderValue from "./HeaderValue.ts"

/**
 * The ladder every incoming message climbs: what kind is it, which era, may it pass. Pure and total: any input has
 * exactly one outcome, and nothing here does I/O.
 *
 * The body decides the era; what a transport mirrors into headers only confirms it (ERA-6).
 *
 * @since 0.1.0
 */
export * as Inbound from "./Inbound.ts"

/**
 * JSON-RPC 2.0 as the Model Context Protocol uses it: the message algebra, the rules for ids, parse and print.
 *
 * Reading a message never copies a member that the protocol does not define: whatever else a peer puts into an envelope
 * is not seen by anything above this module.
 *
 * @since 0.1.0
 */
export * as JsonRpc from "./JsonRpc.ts"

/**
 * The JSON Schema that a Schema has on the wire, in the form hosts accept: draft 2020-12, an object at the root of
 * inputs, definitions under `$defs`, and the annotations of the protocol kept.
 *
 * @since 0.1.0
 */
export * as JsonSchema from "./JsonSchema.ts"

/**
 * The one table of limits: what bounds the memory, the time and the work that a peer can cause.
 *
 * Every limit of every package is a row of {@link table} with its name, unit, default and what happens when it is
 * hit. Code that enforces a limit reads it from the {@link Limits} reference, so that an application can change it in
 * one place, with {@link layer}.
 *
 * @since 0.1.0
 */
export * as Limits from "./Limits.ts"

/**
 * What can go wrong on a client's own side. It has no code and never goes on the wire; what the server answered is
 * `McpError`.
 *
 * @since 0.1.0
 */
export * as McpClientError from "./McpClientError.ts"

/**
 * One error class per code the protocol names, to and from the wire, and the one table from code to HTTP status.
 *
 * What can go wrong on our own side (a deadline, a closed transport) has no code and is never sent: that is
 * `McpClientError`.
 *
 * @since 0.1.0
 */
export * as McpError from "./McpError.ts"

/**
 * The two seams joined in memory: a client's messages reach a server as they are, without being printed and parsed.
 *
 * @since 0.1.0
 */
export * as MemoryTransport from "./MemoryTransport.ts"

/**
 * The `_meta` of a request: the keys the protocol reserves, and what a server reads from them.
 *
 * @since 0.1.0
 */
export * as Meta from "./Meta.ts"

/**
 * The grammar of `_meta` keys and of extension identifiers.
 *
 * A key is a name, or a prefix and a name: `com.example/trace`. The prefix is a reversed domain, and prefixes that
 * belong to the protocol are reserved.
 *
 * @since 0.1.0
 */
export * as MetaKey from "./MetaKey.ts"

/**
 * The table of methods: name × direction × revisions × schemas. A missing entry *is* the version gate: no other module
 * compares dates to decide whether a method exists.
 *
 * @since 0.1.0
 */
export * as Method from "./Method.ts"

/**
 * Which nonces were used already: what makes a thing that a client carries, such as the `requestState` of a
 * multi-round-trip request, good for one use (MRTR-17).
 *
 * With {@link layerMemory} they are in this process. Where several nodes take the same things, they need a layer on a
 * database that all of them use: otherwise each of them takes a thing once.
 *
 * **A store that is down is an error.** A layer that cannot reach its engine fails with {@link NonceStoreUnavailable}, and
 * never goes on from memory: what was used on another node would be used again.
 *
 * **Time.** A nonce is remembered for as long as its claim says, which is a duration, so that a layer measures it with a
 * clock that nobody sets.
 *
 * @since 0.1.0
 */
export * as NonceStore from "./NonceStore.ts"

/**
 * Arguments of a tool that are mirrored into HTTP headers, so that an intermediary can route on them.
 *
 * A property of a tool's input schema that is annotated with `x-mcp-header: "Region"` is sent as `Mcp-Param-Region`
 * too. A client reads the annotations with {@link scan} and sends what {@link values} gives. A server holds the headers
 * against the arguments with {@link check}, since an intermediary has already decided something by them.
 *
 * @since 0.1.0
 */
export * as ParameterHeader from "./ParameterHeader.ts"

/**
 * What a message looks like under each revision. Everything else speaks the newest one; what is sent to an older peer goes
 * through here last, in both directions: what a server sends and what a client sends.
 *
 * A member that a revision does not have is left out, and content that it does not have is said in words, so that nothing
 * is lost on the way. Members that no revision names are kept, because the objects of the protocol are open.
 *
 * **Details**
 *
 * What becomes of what is newer than the peer:
 *
 * - sound, links to resources, calls of tools, unknown content: a text that says what it is (TOOL-13, SAMP-6);
 * - structured content: a text with its JSON, unless there is a text already (TOOL-15, TOOL-17);
 * - the output schema of anything but an object: left out (TOOL-9);
 * - the title of a tool: under 2025-03-26 that of its annotations (TOOL-7);
 * - several blocks in one turn of a conversation: several turns of the same speaker (SAMP-6);
 * - several blocks in the answer of a model: one text;
 * - a choice with titles in a form: `enumNames` (ELI-9);
 * - a choice of several in a form: a field for text that says what to choose from, whose answer is a text with
 *   commas, which `answer` takes apart;
 * - cache hints, `resultType`, and the `_meta` keys of the modern era: left out.
 *
 * **Gotchas**
 *
 * Three things have no older form, and are for the sender to avoid: a question that sends the user to a URL before
 * 2025-11-25, the same without an `elicitationId` under 2025-11-25, and `notifications/cancelled` without a `requestId`
 * under any other revision.
 *
 * @since 0.1.0
 */
export * as Projection from "./Projection.ts"

/**
 * The contract of a prompt: its name and its arguments.
 *
 * @since 0.1.0
 */
export * as Prompt from "./Prompt.ts"

/**
 * What a tool may fail with when the person it asked does not answer. A contract that declares them needs nothing of the
 * server that asks.
 *
 * **Example** (A tool that may be refused)
 *
 * ```ts
 * import * as Refusal from "@effect-mcp/core/Refusal"
 * import * as Tool from "@effect-mcp/core/Tool"
 * import * as Schema from "effect/Schema"
 *
 * const Book = Tool.make("book", { failure: Schema.Union([Refusal.Declined, Refusal.Cancelled]) })
 * ```
 *
 * @since 0.1.0
 */
export * as Refusal from "./Refusal.ts"

/**
 * Services that exist only during a request, such as an authenticated principal.
 *
 * A handler that uses one has a layer that requires {@link Request} of it. No ordinary layer can provide that, only a
 * middleware or a transport that says it does, so a principal can neither be forgotten nor made up at start-up.
 *
 * @since 0.1.0
 */
export * as RequestService from "./RequestService.ts"

/**
 * The contract of a resource: its URI and what is known of it without reading it.
 *
 * @since 0.1.0
 */
export * as Resource from "./Resource.ts"

/**
 * The contract of a family of resources: a URI template (RFC 6570) whose variables are decoded by schemas.
 *
 * @since 0.1.0
 */
export * as ResourceTemplate from "./ResourceTemplate.ts"

/**
 * The published revisions of the Model Context Protocol as values: their order, their era, and the allow-list a server
 * or a client is given.
 *
 * Revisions are compared for equality and by their place in {@link all}; no other module compares dates (ERA-1).
 *
 * @since 0.1.0
 */
export * as Revision from "./Revision.ts"

/**
 * The seam between a server and its transports: what a transport needs from a server, in words of the protocol.
 *
 * A transport parses, asks {@link ServerEndpoint.classify} what a message is, starts a {@link Call} for a request, and
 * writes what comes. It does not know what a tool is, and the server does not know what a header is.
 *
 * @since 0.1.0
 */
export * as ServerEndpoint from "./ServerEndpoint.ts"

/**
 * Where the sessions of the legacy HTTP transport are kept: what each request of a session needs to know of it.
 *
 * With {@link layerMemory} they are in this process. A layer on a database lets every node serve every session, so only
 * data is in here. What is alive, such as an open stream, stays with the node that has it.
 *
 * **A store that is down is an error.** A layer that cannot reach its engine fails with {@link StoreUnavailable}, and
 * never goes on from memory: two nodes would then disagree about who has a session.
 *
 * **Time.** A session ends when it was not used for as long as the limit `sessionIdle` says, or when it is as old as
 * `sessionLifetime`, whichever comes first. Both are durations, so that a layer measures them with a clock that nobody
 * sets.
 *
 * @since 0.1.0
 */
export * as SessionStore from "./SessionStore.ts"

/**
 * The contract of a tool: its name, what it takes, what it gives, how it may fail. A server attaches a handler to it, a
 * client calls it with the same types.
 *
 * @since 0.1.0
 */
export * as Tool from "./Tool.ts"

/**
 * URI templates (RFC 6570, all four levels): expansion, and matching, its inverse.
 *
 * Own code, because no library on npm does both correctly: of those that match at all, `uri-template-router` knows no
 * queries and no literal outside ASCII, and in `uri-templates` a simple `{id}` matches slashes.
 *
 * **How a URI is matched.**
 *
 * - Literals match exactly, dots and question marks included. Characters outside ASCII match their percent-encoding, in
 *   either case.
 * - `{id}` matches within a segment: no `/`, `?` or `#`. `{+path}` and `{#fragment}` match those too.
 * - The URI is matched as it is, and each value is percent-decoded once, afterwards. So `%2F` separates nothing, and
 *   `..%2F..` is one value of `{id}`, which arrives as `../..`, as `%00` arrives as a NUL. **What a value may be is for
 *   the schema or the handler to say**, after decoding: a template is no guard against path traversal.
 * - `{?a,b}` takes the parameters in any order, each of them at most once, and no others.
 * - Where a template can be read in two ways, an expression takes as much as it can. With a `{?query}` or a `{#fragment}`
 *   later on, though, `{+path}` ends before it.
 *
 * A value is a string; a list, where a comma stands unencoded or the variable is exploded (`{list*}`); or a map, where an
 * exploded variable has names other than its own (`{?map*}`). An expression that is not there binds nothing, and since an
 * empty string and no value both leave nothing of `{id}`, that is taken for no value.
 *
 * Matching takes time in proportion to the length of the URI times the number of expressions, whatever both contain.
 *
 * @since 0.1.0
 */
export * as UriTemplate from "./UriTemplate.ts"
