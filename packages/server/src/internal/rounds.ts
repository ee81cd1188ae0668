/**
 * The way of a chain from round to round: sealed into `requestState`, bound to the request it belongs to, and opened again
 * (MRTR-14, MRTR-16).
 */
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import type * as Limits from "@effect-mcp/core/Limits"
import * as McpError from "@effect-mcp/core/McpError"
import * as NonceStore from "@effect-mcp/core/NonceStore"
import * as Digest from "effect/crypto/Digest"
import type * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Result from "effect/Result"
import type { Binding, RequestStateCodec } from "../RequestStateCodec.ts"
import * as Chain from "./chain.ts"
import type { RequestState } from "./requestState.ts"

export interface Services {
  readonly codec: RequestStateCodec["Service"]
  /** What makes a state good for one use, if the server has it. */
  readonly nonces: NonceStore.NonceStore["Service"] | undefined
  readonly digest: Digest.Digest["Service"]
  readonly random: SecureRandom.SecureRandom["Service"]
  /** Whose states they are. */
  readonly audience: string
  readonly limits: Limits.Values
}

const utf8 = new TextEncoder()

/** The bytes of a chain's id: it is no secret, and is not met twice. */
const idBytes = 16

/** The characters of a fingerprint: enough to tell the questions of one handler apart. */
export const printSize = 22

export class Rounds {
  readonly limits: Limits.Values
  readonly #services: Services

  constructor(services: Services) {
    this.limits = services.limits
    this.#services = services
  }

  get newId(): Effect.Effect<string> {
    return Effect.map(this.#services.random.randomBytes(idBytes), Base64Url.encode)
  }

  /** Tells two questions apart. */
  fingerprint(method: string, params: JsonRpc.JsonObject): Effect.Effect<string> {
    return Effect.map(this.#digest({ method, params }), (digest) => digest.slice(0, printSize))
  }

  /** The characters that a chain will have when it is sealed. */
  sealedSize(chain: Chain.Chain): number {
    return this.#services.codec.sealedSize(Chain.encode(chain))
  }

  seal(chain: Chain.Chain, state: RequestState): Effect.Effect<string> {
    return Effect.flatMap(
      this.#binding(state),
      (binding) => this.#services.codec.seal(Chain.encode(chain), binding)
    )
  }

  /** MRTR-14: whatever is wrong with a state, the client is told the same. */
  open(requestState: string, state: RequestState): Effect.Effect<Chain.Chain, McpError.McpError> {
    const refuse = (reason: string) =>
      Effect.andThen(state.toOperator(Effect.logInfo(`A requestState was refused: ${reason}`)), Effect.fail(invalid))
    // What cannot be shown to be unused is not used.
    const unclaimed = (error: { readonly message: string }) =>
      Effect.andThen(
        state.toOperator(Effect.logError("A requestState could not be claimed", error)),
        Effect.fail(unavailable)
      )
    const { codec, nonces } = this.#services
    const opened = Effect.flatMap(this.#binding(state), (binding) => codec.open(requestState, binding))
    return (nonces === undefined ? opened : Effect.provideService(opened, NonceStore.NonceStore, nonces)).pipe(
      Effect.catchTags({
        InvalidRequestState: ({ reason }) => refuse(reason),
        NonceStoreUnavailable: unclaimed,
        TooManyNonces: unclaimed
      }),
      Effect.flatMap((text) => {
        const chain = Chain.decode(text)
        return Result.isSuccess(chain)
          ? Effect.succeed(chain.success)
          : refuse("it is of another version of this server")
      })
    )
  }

  #binding(state: RequestState): Effect.Effect<Binding> {
    const { _meta, inputResponses: _answers, requestState: _state, ...salient } = state.request.params
    const { mirroredName, name: method } = state.request.definition
    const name = mirroredName === undefined ? undefined : salient[mirroredName]
    return Effect.map(this.#digest(salient), (argumentsDigest) => ({
      method,
      name: typeof name === "string" ? name : "",
      argumentsDigest,
      principal: state.exchange.principal,
      audience: this.#services.audience
    }))
  }

  #digest(value: unknown): Effect.Effect<string> {
    return Effect.map(
      this.#services.digest.digest(Digest.sha256, utf8.encode(canonical(value))),
      Base64Url.encode
    )
  }
}

/** JSON in which the order of members says nothing: a proxy may write them in another. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) =>
    JsonRpc.isJsonObject(member)
      ? Object.fromEntries(Object.keys(member).toSorted().map((key) => [key, member[key]]))
      : member)

const invalid = new McpError.InvalidParams({ message: "The requestState is not valid for this request" })

const unavailable = new McpError.InternalError({ message: "The requestState cannot be taken for now" })
