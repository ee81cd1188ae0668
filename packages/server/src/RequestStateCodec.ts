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
import * as Limits from "@effect-mcp/core/Limits"
import * as NonceStore from "@effect-mcp/core/NonceStore"
import * as Clock from "effect/Clock"
import type * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Box from "./internal/requestStateCodecBox.ts"
import * as Format from "./internal/requestStateCodecFormat.ts"
import * as Secrets from "./internal/requestStateCodecSecrets.ts"

/**
 * The request that a state belongs to. To any other it is not opened.
 *
 * **Details**
 *
 * - `method` and `name`: what is asked for, such as `tools/call` and the name of the tool.
 * - `argumentsDigest`: a digest of all else that the request is about, made by the caller.
 * - `principal`: whose request it is; `undefined` where nobody is authenticated, which is not the same as an empty text.
 * - `audience`: which server answers it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Binding {
  readonly method: string
  readonly name: string
  readonly argumentsDigest: string
  readonly principal: string | undefined
  readonly audience: string
}

/**
 * A state was refused.
 *
 * **Details**
 *
 * The `reason` is for the server's log. A client is told the same whatever it is, and learns nothing from trying.
 *
 * - `malformed`: nothing that this codec has ever sealed, or cut off.
 * - `too large`: longer than the limit `requestStateSize`.
 * - `unknown key`: sealed with a secret that is not among those given, or changed.
 * - `does not belong to this request`: changed, or sealed for another request.
 * - `expired`: older than the limit `requestStateTtl`.
 * - `used`: opened before. Only where there is a `NonceStore`.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidRequestState extends Schema.TaggedError<InvalidRequestState>(
  "@effect-mcp/server/RequestStateCodec/InvalidRequestState"
)("InvalidRequestState", {
  reason: Schema.Literals([
    "malformed",
    "too large",
    "unknown key",
    "does not belong to this request",
    "expired",
    "used"
  ])
}) {
  override get message(): string {
    return `the state of a request was refused: ${this.reason}`
  }
}

/**
 * A secret that is too short to make a key of. The error says which one it is and nothing of what it is.
 *
 * @category errors
 * @since 0.1.0
 */
export class ShortSecret extends Schema.TaggedError<ShortSecret>("@effect-mcp/server/RequestStateCodec/ShortSecret")(
  "ShortSecret",
  {
    /** Where it was given. */
    source: Schema.String,
    /** Its place there, from 1 on. */
    position: Schema.Int
  }
) {
  override get message(): string {
    return Secrets.tooShort(this.source, this.position)
  }
}

/**
 * The codec.
 *
 * **Details**
 *
 * - `seal`: the sealed text, which is base64url. It is another one each time. The payload is well-formed text, such as
 *   `JSON.stringify` gives. A text longer than the limit `requestStateSize` is sealed all the same, and is never opened:
 *   the caller compares with `sealedSize` first. If the crypto of the platform fails, that is a defect.
 * - `open`: the payload, if the text is exactly what `seal` gave for the same binding, has not expired, and was not used
 *   before. All of that is known before any of the payload is looked at. Fails with {@link InvalidRequestState}, or with
 *   the errors of the `NonceStore`, if there is one, and then it is not known whether the state was used before: it must
 *   not be taken.
 * - `sealedSize`: how many characters `seal` would give, without sealing.
 *
 * **Example** (From one round to the next)
 *
 * ```ts
 * import * as RequestStateCodec from "@effect-mcp/server/RequestStateCodec"
 * import * as Effect from "effect/Effect"
 *
 * const binding: RequestStateCodec.Binding = {
 *   method: "tools/call",
 *   name: "deploy",
 *   argumentsDigest: "jNLBN3aF",
 *   principal: "user-1",
 *   audience: "https://mcp.example.com"
 * }
 *
 * const program = Effect.gen(function*() {
 *   const codec = yield* RequestStateCodec.RequestStateCodec
 *   const requestState = yield* codec.seal(JSON.stringify({ step: 2 }), binding)
 *   return yield* codec.open(requestState, binding)
 * })
 * ```
 *
 * @category services
 * @since 0.1.0
 */
export class RequestStateCodec extends Context.Service<RequestStateCodec, {
  readonly seal: (payload: string, binding: Binding) => Effect.Effect<string>
  readonly open: (
    state: string,
    binding: Binding
  ) => Effect.Effect<string, InvalidRequestState | NonceStore.NonceStoreUnavailable | NonceStore.TooManyNonces>
  readonly sealedSize: (payload: string) => number
}>()("@effect-mcp/server/RequestStateCodec") {}

/**
 * The options of {@link layer}.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** The secrets, each of at least 32 characters. The first one seals, and all of them open. */
  readonly keys: readonly [Redacted.Redacted, ...Array<Redacted.Redacted>]
  /**
   * What else a state is bound to, such as the public URI of the server, so that another deployment with the same secret
   * does not open it. By default nothing.
   */
  readonly audience?: string | undefined
}

/** Without secrets, with one that is made up. */
const make = Effect.fnUntraced(function*(
  secrets: Secrets.Secrets | undefined,
  audience: string | undefined,
  warns: boolean
) {
  const context = yield* Effect.context<never>()
  const built = Context.getOrUndefined(context, NonceStore.NonceStore)
  const { requestStateSize, requestStateTtl } = yield* Limits.Limits
  const box = yield* Box.make(secrets, audience)
  // It is about the server, and no part of what a client reads of the request that is being answered.
  const warning = Effect.updateContext(Effect.logWarning(Secrets.madeUp), (_: Context.Context<never>) => context)
  const beforeSealing = warns ? yield* Effect.cached(warning) : Effect.void

  return RequestStateCodec.of({
    seal: Effect.fnUntraced(function*(payload, binding) {
      yield* beforeSealing
      const now = yield* Clock.currentTimeMillis
      return yield* box.seal({ expiry: now + requestStateTtl, payload }, binding)
    }),
    open: Effect.fnUntraced(function*(state, binding) {
      if (state.length > requestStateSize) return yield* refuse("too large")
      const sealed = Format.parse(state)
      if (sealed === undefined) return yield* refuse("malformed")
      const content = yield* box.open(sealed, binding)
      if (typeof content === "string") return yield* refuse(content)
      const left = content.expiry - (yield* Clock.currentTimeMillis)
      if (left <= 0) return yield* refuse("expired")
      // The server's, where the layer has none: in which order they are provided must not turn it off.
      const nonces = built ?? Context.getOrUndefined(yield* Effect.context<never>(), NonceStore.NonceStore)
      // Remembered for longer than the state lives here: to a node whose clock is behind it lives on.
      if (nonces !== undefined && !(yield* nonces.claim(Base64Url.encode(sealed.nonce), left + requestStateTtl))) {
        return yield* refuse("used")
      }
      return content.payload
    }),
    sealedSize: Format.size
  })
})

const refuse = (reason: InvalidRequestState["reason"]) => Effect.fail(new InvalidRequestState({ reason }))

/**
 * A codec with the secrets that are given.
 *
 * **Details**
 *
 * Fails with {@link ShortSecret} for a secret that is too short. The crypto is that of the application (`Aead`, `Kdf` and
 * `SecureRandom` of `effect/crypto`) if it has one when the layer is built, and otherwise that of the platform. Keys are
 * derived when they are first needed.
 *
 * **Example** (Secrets from wherever the application keeps them)
 *
 * ```ts
 * import * as RequestStateCodec from "@effect-mcp/server/RequestStateCodec"
 * import * as Config from "effect/Config"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const Codec = Layer.unwrap(
 *   Effect.map(
 *     Config.Redacted("STATE_SECRET"),
 *     (secret) => RequestStateCodec.layer({ keys: [secret], audience: "https://mcp.example.com" })
 *   )
 * )
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: Options): Layer.Layer<RequestStateCodec, ShortSecret> =>
  Layer.effect(
    RequestStateCodec,
    Effect.suspend(() => {
      const position = Secrets.positionOfShort(options.keys)
      return position === undefined
        ? make(options.keys, options.audience, false)
        : Effect.fail(new ShortSecret({ source: "RequestStateCodec.layer({ keys })", position }))
    })
  )

/**
 * A codec with the secrets of the configuration: `MCP_REQUEST_STATE_KEYS`, which commas separate.
 *
 * **Details**
 *
 * Fails if there are none, or one of them is too short. Otherwise it is as {@link layer}.
 *
 * **Example** (A server on several nodes)
 *
 * ```ts
 * import * as McpServer from "@effect-mcp/server/McpServer"
 * import * as RequestStateCodec from "@effect-mcp/server/RequestStateCodec"
 * import * as Layer from "effect/Layer"
 *
 * const Server = McpServer.layer({ name: "notes", version: "1.0.0" }, Layer.empty).pipe(
 *   Layer.provide(RequestStateCodec.layerConfig())
 * )
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export const layerConfig = (
  options?: Pick<Options, "audience">
): Layer.Layer<RequestStateCodec, Config.ConfigError> =>
  Layer.effect(
    RequestStateCodec,
    Effect.flatMap(Secrets.configured, (secrets) =>
      secrets === undefined ? Secrets.missing : make(secrets, options?.audience, false))
  )

/**
 * A codec with a key of its own, which ends with it: states are refused after a restart and by every other node.
 *
 * **When to use**
 *
 * Use where one process is all there is, such as a server on standard input and output, or a test.
 *
 * **Example** (A server for one client)
 *
 * ```ts
 * import * as McpServer from "@effect-mcp/server/McpServer"
 * import * as RequestStateCodec from "@effect-mcp/server/RequestStateCodec"
 * import * as Layer from "effect/Layer"
 *
 * const Server = McpServer.layer({ name: "notes", version: "1.0.0" }, Layer.empty).pipe(
 *   Layer.provide(RequestStateCodec.layerMemory)
 * )
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export const layerMemory: Layer.Layer<RequestStateCodec> = Layer.effect(
  RequestStateCodec,
  make(undefined, undefined, false)
)

/**
 * What a server has that is given no codec: that of {@link layerConfig} if `MCP_REQUEST_STATE_KEYS` is set, and otherwise
 * that of {@link layerMemory}.
 *
 * **Details**
 *
 * Without the variable, or with an empty one, a warning is logged when the first state is sealed. A variable that is set to something wrong fails the layer: it is never replaced by a key
 * of its own.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerDefault: Layer.Layer<RequestStateCodec, Config.ConfigError> = Layer.effect(
  RequestStateCodec,
  Effect.flatMap(Secrets.configured, (secrets) => make(secrets, undefined, secrets === undefined))
)
