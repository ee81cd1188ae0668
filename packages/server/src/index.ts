/**
 * Questions to the person at the client: a form to fill in, or an address to visit (ELI-3).
 *
 * They are asked in a straight line, under every revision. What the person did is an {@link Outcome}; who wants nothing
 * but the answer takes {@link formOrFail}.
 *
 * @since 0.1.0
 */
export * as Elicitation from "./Elicitation.ts"

/**
 * Forms for `Elicitation.form`: what is asked for is said in schemas, of which the form and the decoder of its answer
 * are made.
 *
 * **Gotchas**
 *
 * A form must not ask for passwords, keys, tokens or payment data: they would be read by the client, and by whoever reads
 * its logs. Have them entered at an address of your own, with `Elicitation.url` (ELI-13).
 *
 * @since 0.1.0
 */
export * as Form from "./Form.ts"

/**
 * What questions to the client have in common: several at once, effects that a later round does not run again, and how it
 * is told that a handler was interrupted because it has asked.
 *
 * **How a question works.** Handlers ask in a straight line with `Elicitation`, `Sampling` and `Roots`. Up to revision
 * 2025-11-25 a question is a request to the client, and the handler waits. In 2026-07-28 it ends the round: the handler is
 * interrupted, its finalizers run, and the client gets the question as its result. When the client comes back with the
 * answer, the handler is **run again from the top**, and what was answered before is answered at once. Whatever is done
 * before a question is therefore done again, unless it is done with {@link once}.
 *
 * **What is around a question must let it go.** A transaction that is open while something is asked is rolled back, and
 * begins anew in the next round: ask first, and write then. What {@link once} remembers from inside such a transaction is
 * remembered though what it wrote was rolled back.
 *
 * @since 0.1.0
 */
export * as Interaction from "./Interaction.ts"

/**
 * What can go wrong with a question to the client on the server's own side: the author's code asks where or how it may
 * not, or a limit is hit. What the client does wrong, or cannot do, is `McpError`.
 *
 * @since 0.1.0
 */
export * as InteractionError from "./InteractionError.ts"

/**
 * The request a handler answers: what it says about itself, its client, and the way back to it.
 *
 * @since 0.1.0
 */
export * as McpRequest from "./McpRequest.ts"

/**
 * A Model Context Protocol server: features are layers, and a server is a layer made of them.
 *
 * @since 0.1.0
 */
export * as McpServer from "./McpServer.ts"

/**
 * Progress of the request that is being answered.
 *
 * @since 0.1.0
 */
export * as Progress from "./Progress.ts"

/**
 * How the `requestState` of a multi-round-trip request is sealed, so that the client that carries it from round to round
 * can neither read nor change it, nor use it for another request (MRTR-14, MRTR-16).
 *
 * A state is encrypted and authenticated with XChaCha20-Poly1305 under a key that is derived from a secret, and bound to
 * the request it belongs to: its method, name, arguments, principal and audience. It ends after the limit
 * `requestStateTtl`. Nothing is kept on the server: whichever node has the secret opens it.
 *
 * **Secrets.** A secret is any text of at least 32 characters, such as `openssl rand -base64 32` prints. There may be
 * several: the first one seals, and all of them open. So a secret is replaced without refusing anybody, node by node, in
 * three phases of which each has to be complete before the next begins:
 *
 * 1. `[old, new]`: every node learns to open what will be sealed with the new secret.
 * 2. `[new, old]`: every node seals with the new one.
 * 3. `[new]`, no sooner than `requestStateTtl` after the second phase was complete: what the old one has sealed has
 *    expired.
 *
 * A secret that is known to somebody is replaced at once instead, by `[new]` alone, and the requests that are being
 * answered have to be made anew.
 *
 * **Single use.** A state can be used again until it expires, for the same request of the same principal. If a
 * `NonceStore` is provided to this layer or to the server, each state can be used once (MRTR-17); with several nodes it has to be
 * one that they share. A request whose answer was lost on the way can then not be repeated, and is made anew.
 *
 * **Time.** Expiry is a time of the wall clock, since the node that opens a state need not be the one that sealed it. To a
 * node whose clock is ahead a state is older than it is, and to one whose clock is behind it is younger: with clocks that
 * differ by a second, it lives a second less or more. A clock that is set forward lets states expire early, one that is set
 * back lets them live on for as long. Single use holds as long as no clock differs from another by more than
 * `requestStateTtl`, or is set back by more.
 *
 * @since 0.1.0
 */
export * as RequestStateCodec from "./RequestStateCodec.ts"

/**
 * The directories and files that the client lets a server work on (ROOT-1).
 *
 * @since 0.1.0
 */
export * as Roots from "./Roots.ts"

/**
 * Requests to the client's language model (SAMP-2).
 *
 * @since 0.1.0
 */
export * as Sampling from "./Sampling.ts"

/**
 * Named conditions that decide which features a request can see.
 *
 * A feature that is hidden from a request is left out of lists and answers exactly as one that does not exist.
 *
 * @since 0.1.0
 */
export * as Visibility from "./Visibility.ts"
