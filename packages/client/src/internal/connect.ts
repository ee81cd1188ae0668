/**
 * How a client and a server come to the revision they speak (ERA-3, ERA-7 to ERA-16): which question follows upon which
 * answer.
 */
import type { RequestError } from "@effect-mcp/core/ClientTransport"
import * as McpClientError from "@effect-mcp/core/McpClientError"
import * as Revision from "@effect-mcp/core/Revision"
import type { DiscoverResult, InitializeResult } from "@effect-mcp/core/schema/Lifecycle"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Store } from "../EraCache.ts"
import { type Attempt, type Outcome, renderAttempt } from "../Negotiation.ts"
import type { Connection } from "./connection.ts"
import * as Discovery from "./discovery.ts"
import * as Initialize from "./initialize.ts"
import { isModernError, mayBeOlder, provesNothing, versionsOf } from "./negotiation.ts"

/** Where a probe leads: it is settled, or a legacy revision is to be offered. */
type Probed = "settled" | { readonly offer: Revision.Revision; readonly supported?: ReadonlyArray<string> | undefined }

const oldest: Revision.Revision = "2024-11-05"

/** One negotiation of one client. */
class Negotiator {
  readonly #connection: Connection
  readonly attempts: Array<Attempt> = []
  /** Whether a server that ends has perhaps done so because of a question it did not understand. */
  #probed = false

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** Asks a server of the modern era what it is. */
  readonly probe: Effect.Effect<Probed, RequestError> = Effect.suspend(() => {
    const { rules } = this.#connection
    return rules.modern === undefined ? this.#fallBack(rules.none([])) : this.#discover(rules.modern, true)
  })

  #discover(revision: Revision.Revision, mayRepeat: boolean): Effect.Effect<Probed, RequestError> {
    const connection = this.#connection
    connection.dialect = connection.modern(revision)
    return Effect.flatMap(
      Effect.result(Discovery.ask(connection)),
      (asked): Effect.Effect<Probed, RequestError> =>
        Result.isSuccess(asked)
          ? this.#discovered(revision, asked.success)
          : this.#undiscovered(revision, asked.failure, mayRepeat)
    )
  }

  #discovered(offered: Revision.Revision, result: DiscoverResult): Effect.Effect<Probed, RequestError> {
    const { rules } = this.#connection
    const { supportedVersions } = result
    const common = rules.common(supportedVersions)
    if (common === undefined || Revision.era(common) === "legacy") {
      this.#note("server/discover", offered, { _tag: "Told", versions: supportedVersions })
      return common === undefined
        ? Effect.fail(rules.none(supportedVersions))
        // ERA-22: that is selection, not fallback.
        : Effect.succeed({ offer: common, supported: supportedVersions })
    }
    this.#note("server/discover", offered, { _tag: "Settled", revision: common })
    Discovery.accept(this.#connection, common, result)
    return Effect.succeed("settled")
  }

  #undiscovered(
    offered: Revision.Revision,
    error: RequestError,
    mayRepeat: boolean
  ): Effect.Effect<Probed, RequestError> {
    const { rules, transport } = this.#connection
    this.#probed = true
    if (isModernError(error)) {
      const versions = versionsOf(error)
      // ERA-9: only the code tells the eras apart, not that versions are named.
      if (versions === undefined || error._tag === "McpClientError" || error.code !== -32022) {
        this.#note("server/discover", offered, { _tag: "Failed", error })
        return Effect.fail(error)
      }
      const common = rules.common(versions)
      this.#note("server/discover", offered, { _tag: "Told", versions })
      if (common === undefined) return Effect.fail(rules.none(versions))
      if (Revision.era(common) === "legacy") return Effect.succeed({ offer: common, supported: versions })
      return mayRepeat ? this.#discover(common, false) : Effect.fail(error)
    }
    this.#note("server/discover", offered, { _tag: "Failed", error })
    return provesNothing(error, transport.legacy.silenceIsLegacy)
      ? Effect.fail(error)
      : Effect.andThen(isClosed(error) ? this.#reconnect : Effect.void, this.#fallBack(error))
  }

  #fallBack(error: RequestError): Effect.Effect<Probed, RequestError> {
    const { rules } = this.#connection
    if (rules.legacy !== undefined) return Effect.succeed({ offer: rules.legacy })
    // ERA-17: say what the server is, and not what it made of the question.
    return Effect.fail(error._tag === "McpClientError" ? error : rules.none([]))
  }

  /** Opens a session, offering a revision first. */
  open(offered: Revision.Revision, supported?: ReadonlyArray<string>): Effect.Effect<void, RequestError> {
    return Effect.flatMap(
      Effect.result(this.#offer(offered)),
      (answer) =>
        Result.isSuccess(answer)
          ? this.#opened(offered, answer.success, supported)
          : this.#unopened(offered, answer.failure)
    )
  }

  #opened(
    offered: Revision.Revision,
    result: InitializeResult,
    supported: ReadonlyArray<string> | undefined
  ): Effect.Effect<void, RequestError> {
    const { rules } = this.#connection
    const revision = rules.commonLegacy([result.protocolVersion])
    if (revision === undefined) {
      // INIT-4: the connection is left as it is, and nothing more is sent.
      this.#note("initialize", offered, { _tag: "Told", versions: [result.protocolVersion] })
      return Effect.fail(rules.none([result.protocolVersion]))
    }
    this.#note("initialize", offered, { _tag: "Settled", revision })
    return Initialize.accept(this.#connection, revision, result, supported)
  }

  #unopened(offered: Revision.Revision, error: RequestError): Effect.Effect<void, RequestError> {
    const { rules, transport } = this.#connection
    const { older, silenceIsLegacy } = transport.legacy
    const versions = versionsOf(error)
    if (versions !== undefined) {
      this.#note("initialize", offered, { _tag: "Told", versions })
      const common = rules.commonLegacy(versions)
      return common === undefined || common === offered
        ? Effect.fail(rules.none(versions))
        : this.once(common)
    }
    this.#note("initialize", offered, { _tag: "Failed", error })
    if (isClosed(error) && silenceIsLegacy && this.#probed) {
      return Effect.andThen(this.#reconnect, this.once(offered))
    }
    if (older === undefined || !rules.allowed.includes(oldest) || !mayBeOlder(error)) return Effect.fail(error)
    return Effect.matchEffect(older, {
      onSuccess: () => {
        this.#note("HTTP+SSE", oldest, { _tag: "Done" })
        return this.once(oldest)
      },
      onFailure: (failed) => {
        this.#note("HTTP+SSE", oldest, { _tag: "Failed", error: failed })
        return Effect.fail(provesNothing(failed, silenceIsLegacy) ? failed : error)
      }
    })
  }

  /** One offer: what comes of it is final. */
  once(offered: Revision.Revision): Effect.Effect<void, RequestError> {
    return Effect.matchEffect(this.#offer(offered), {
      onSuccess: (result) => this.#opened(offered, result, undefined),
      onFailure: (error) => {
        this.#note("initialize", offered, { _tag: "Failed", error })
        return Effect.fail(error)
      }
    })
  }

  #offer(revision: Revision.Revision) {
    return Initialize.offer(this.#connection, revision)
  }

  readonly #reconnect: Effect.Effect<void, RequestError> = Effect.suspend(() => {
    this.#probed = false
    return this.#connection.transport.legacy.reconnect
  })

  #note(step: Attempt["step"], revision: Revision.Revision, outcome: Outcome): void {
    this.attempts.push({ step, revision, outcome })
  }

  /** What a failed negotiation says: what was tried too, if that is more than the error tells. */
  explain(error: RequestError): RequestError {
    const tried = this.attempts.map(renderAttempt)
    // A server that does not understand either question is one of no revision that is known here.
    if (error._tag !== "McpClientError" && mayBeOlder(error)) {
      return new McpClientError.McpClientError({ reason: this.#connection.rules.none([]).reason, tried })
    }
    return error._tag === "McpClientError" && tried.length > 1
      ? new McpClientError.McpClientError({ reason: error.reason, tried })
      : error
  }
}

const isClosed = (error: RequestError): boolean =>
  error._tag === "McpClientError" && error.reason._tag === "TransportClosed"

/** Connects a client: with the era that is preferred, believed or newest first. */
export const connect = Effect.fnUntraced(function*(connection: Connection, store: Store, discover: boolean) {
  const { rules, transport } = connection
  const { peer } = transport
  const negotiator = new Negotiator(connection)
  const belief = peer === undefined ? undefined : yield* store.get(peer)
  const legacyFirst = rules.legacy !== undefined &&
    (rules.legacyFirst || rules.modern === undefined || belief === "legacy")

  const probe = Effect.flatMap(
    negotiator.probe,
    (probed) => probed === "settled" ? Effect.void : negotiator.open(probed.offer, probed.supported)
  )

  /** What was preferred or believed was wrong, and perhaps the other era is right. */
  const otherwise = (error: RequestError): Effect.Effect<void, RequestError> => {
    const switched = negotiator.attempts.some(({ step, outcome }) => step === "HTTP+SSE" && outcome._tag === "Done")
    if (rules.modern === undefined || switched || provesNothing(error, transport.legacy.silenceIsLegacy)) {
      return Effect.fail(error)
    }
    return (isClosed(error) ? transport.legacy.reconnect : Effect.void).pipe(
      Effect.andThen(negotiator.probe),
      // It was asked in the way of the legacy era already, and a second session is not opened on one connection.
      Effect.flatMap((probed) => probed === "settled" ? Effect.void : Effect.fail(error))
    )
  }

  const asked = legacyFirst && rules.legacy !== undefined
    ? negotiator.open(rules.legacy).pipe(Effect.catch(otherwise))
    : discover
    ? probe
    : Effect.void

  yield* Effect.mapError(asked, (error) => negotiator.explain(error)).pipe(
    Effect.tapError((error) =>
      peer === undefined || belief === undefined || provesNothing(error, transport.legacy.silenceIsLegacy)
        ? Effect.void
        : store.remove(peer)
    )
  )
  const { era, revision } = connection.dialect
  connection.negotiation = { era, revision, attempts: negotiator.attempts, cached: legacyFirst && belief === "legacy" }
  // That the legacy era was preferred, or is all that is allowed, says nothing about the server.
  const wasAsked = negotiator.attempts.some(({ step }) => step === "server/discover")
  if (peer !== undefined && wasAsked) yield* store.set(peer, era)
})

/** Opens a session later on: another one, or the first where the server was not asked at the start. */
export const open = (connection: Connection, revision: Revision.Revision): Effect.Effect<void, RequestError> =>
  Effect.suspend(() => {
    const negotiator = new Negotiator(connection)
    return negotiator.once(revision).pipe(
      Effect.mapError((error) => negotiator.explain(error)),
      Effect.tap(() =>
        Effect.sync(() => {
          const { era, revision } = connection.dialect
          const { negotiation } = connection
          // The account of what was settled at the start stands, as long as the same is settled again.
          const attempts = negotiation.era === era && negotiation.revision === revision
            ? negotiation.attempts
            : negotiator.attempts
          connection.negotiation = { ...negotiation, era, revision, attempts }
        })
      )
    )
  })
