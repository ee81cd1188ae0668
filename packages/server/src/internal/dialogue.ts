/**
 * What one request asks its client. In the legacy era a question is a request of its own; in the modern era it ends the
 * round: the handler is interrupted, and run from the top when the client comes back with the answers (MRTR-1).
 */
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as McpError from "@effect-mcp/core/McpError"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import type { MethodResult } from "../features/Middleware.ts"
import * as InteractionError from "../InteractionError.ts"
import * as Chain from "./chain.ts"
import { type Capability, missing } from "./clientCapabilities.ts"
import { InputRequired } from "./inputRequired.ts"
import { isUninterruptible } from "./interruptible.ts"
import { Keys } from "./keys.ts"
import { toMcpError } from "./needs.ts"
import { placeOf } from "./place.ts"
import type { RequestState } from "./requestState.ts"
import { printSize, type Rounds } from "./rounds.ts"

/** A question that nobody has asked yet. */
export interface Question<A, R> {
  readonly method: "elicitation/create" | "sampling/createMessage" | "roots/list"
  readonly params: JsonRpc.JsonObject
  readonly needs: ReadonlyArray<Capability>
  readonly key: string | undefined
  /** Reads the client's answer (MRTR-19). */
  readonly read: (answer: JsonRpc.JsonObject) => Effect.Effect<A, McpError.McpError, R>
  /** What it is called where something is wrong with it. */
  readonly name: string
  /** Made where it was written down. */
  readonly trace: Error
}

type AnyFiber = Fiber.Fiber<unknown, unknown>

interface Open {
  readonly key: string
  /** The keys that its own was taken from, if it was not given one. */
  readonly isNumbered: boolean
  readonly keys: Keys
  readonly question: Pick<Question<unknown, unknown>, "method" | "params" | "name">
}

const noPrint = "-".repeat(printSize)

export class Dialogue {
  readonly #state: RequestState
  readonly #rounds: Rounds
  #keys = new Keys()
  readonly #open = new Map<string, Open>()
  readonly #used = new Set<string>()
  readonly #usedOutcomes = new Set<string>()
  #chain: Chain.Chain = { id: "", rounds: 0, asked: [], answered: [], outcomes: [] }
  #isResumed = false
  #isInputRequired = false
  /** What the round ends with. */
  #asked: ReadonlyArray<Open> | undefined

  constructor(state: RequestState, rounds: Rounds) {
    this.#state = state
    this.#rounds = rounds
  }

  /** Takes up what the rounds before have left, unless that is done. */
  get resumed(): Effect.Effect<void, McpError.McpError> {
    const { requestState } = this.#state.request.params
    // The members of another era mean nothing.
    return this.#isResumed || typeof requestState !== "string" || this.#state.session !== undefined
      ? Effect.void
      : Effect.map(this.#rounds.open(requestState, this.#state), (chain) => this.#resume(chain))
  }

  #resume(chain: Chain.Chain): void {
    this.#isResumed = true
    // An answer is not sent again unless it is asked for again, so that it is kept though nobody has read it yet.
    const came = chain.asked.flatMap(({ key, print }) => {
      const answer = this.#response(key)
      return answer === undefined ? [] : [{ key, print, answer }]
    })
    this.#chain = { ...chain, answered: [...chain.answered, ...came] }
  }

  /** The handler begins, maybe not for the first time: a middleware may run it again. */
  begin(): void {
    this.#keys = new Keys()
    this.#asked = undefined
    this.#isInputRequired = false
    this.#open.clear()
    this.#used.clear()
    this.#usedOutcomes.clear()
  }

  ask<A, R>(
    question: Question<A, R>,
    fiber: AnyFiber
  ): Effect.Effect<A, McpError.McpError | InteractionError.InteractionError, R> {
    const { name } = question
    if (this.#state.handler === undefined) return this.wrong(this.#notInteractive(name))
    const misplaced = this.#misplaced(question, fiber)
    if (misplaced !== undefined) return misplaced
    const undeclared = missing(this.#state, question.needs)
    if (undeclared !== undefined) return Effect.fail(undeclared)
    const keys = Context.get(fiber.context, Keys.Current) ?? this.#keys
    const { isNumbered, key } = keys.take(question)
    if (this.#used.has(key)) return this.wrong(new InteractionError.KeyInUse({ key }))
    for (const other of this.#open.values()) {
      if (other.keys === keys && (other.isNumbered || isNumbered)) {
        return this.wrong(new InteractionError.KeyNeeded({ question: name, open: other.question.name }))
      }
    }
    this.#used.add(key)
    const open: Open = { key, isNumbered, keys, question }
    this.#open.set(key, open)
    // Others that are asked at the same time are open before the first of them is sent.
    return Effect.yieldNow.pipe(
      // The handler may have gone on meanwhile, to where it cannot be interrupted.
      Effect.andThen(Effect.suspend(() => this.#misplaced(question, fiber) ?? this.#answerTo(open, fiber))),
      Effect.flatMap((answer) => Effect.tap(question.read(answer), () => this.#keep(open, answer))),
      Effect.ensuring(Effect.sync(() => this.#open.delete(key)))
    )
  }

  /** How an effect came out in an earlier round. A key stands for one effect only. */
  outcome(key: string): Effect.Effect<Chain.Outcome | undefined, InteractionError.InteractionError> {
    return Effect.suspend(() => {
      if (this.#state.handler === undefined) return this.wrong(this.#notInteractive(`Interaction.once ${key}`))
      if (this.#usedOutcomes.has(key)) return this.wrong(new InteractionError.KeyInUse({ key }))
      this.#usedOutcomes.add(key)
      return Effect.succeed(this.#chain.outcomes.find((outcome) => outcome.key === key))
    })
  }

  /** Keeps how an effect came out. One that is not to be kept may be tried again. */
  remember(key: string, outcome: Chain.Outcome | undefined): void {
    if (outcome === undefined) this.#usedOutcomes.delete(key)
    else this.#chain = { ...this.#chain, outcomes: [...this.#chain.outcomes, outcome] }
  }

  /** Nobody else's, and another one each time. */
  get newId(): Effect.Effect<string> {
    return this.#rounds.newId
  }

  /** Nobody else's, and the same in every round of this request. */
  get id(): Effect.Effect<string> {
    return Effect.suspend(() =>
      this.#chain.id !== "" ? Effect.succeed(this.#chain.id) : Effect.map(this.#rounds.newId, (id) => {
        // Another fiber may have been faster.
        if (this.#chain.id === "") this.#chain = { ...this.#chain, id }
        return this.#chain.id
      })
    )
  }

  /** Whether the handler has asked something, and is being interrupted for it or was. */
  get isInputRequired(): boolean {
    return this.#isInputRequired
  }

  /** What the client is told of a handler that has ended: what it was interrupted for, or how it came out. */
  concluded(exit: Exit.Exit<MethodResult, McpError.McpError>): Effect.Effect<MethodResult, McpError.McpError> {
    const asked = this.#asked
    // What is made of it is for the middlewares.
    this.#asked = undefined
    return asked === undefined || Exit.isSuccess(exit) || exit.cause.reasons.some(Cause.isDieReason)
      ? exit
      : this.#inputRequired(asked)
  }

  #notInteractive(question: string): InteractionError.NotInteractive {
    const { multiRound, name } = this.#state.request.definition
    const where = multiRound ? `by a middleware of ${name}` : `while ${name} was answered`
    return new InteractionError.NotInteractive({ question, where })
  }

  /** The defect of a question where the handler cannot be interrupted. */
  #misplaced({ name, trace }: Question<unknown, unknown>, fiber: AnyFiber): Effect.Effect<never> | undefined {
    const { handler } = this.#state
    const hasEnded = handler?.pollUnsafe() !== undefined
    const isStuck = handler !== undefined && handler !== fiber && !hasEnded && isUninterruptible(handler)
    if (!isUninterruptible(fiber) && !hasEnded && !isStuck) return undefined
    const where = hasEnded
      ? "after its handler had ended"
      : isStuck
      ? "while its handler could not be interrupted"
      : "where it cannot be interrupted (while something is acquired, in a finalizer, in an uninterruptible region)"
    const place = [`in the handler of ${this.#state.target}`, placeOf(trace) ?? []].flat().join(", ")
    const defect = InteractionError.make(new InteractionError.Uninterruptible({ question: name, where, place }))
    // It may be waiting for what this fiber will never do.
    if (isStuck) this.#state.abandon(defect)
    return Effect.die(defect)
  }

  #response(key: string): JsonRpc.JsonObject | undefined {
    const { inputResponses } = this.#state.request.params
    if (!JsonRpc.isJsonObject(inputResponses) || !Object.hasOwn(inputResponses, key)) return undefined
    const answer = inputResponses[key]
    return JsonRpc.isJsonObject(answer) ? answer : undefined
  }

  /** A state says what was asked, and what else is answered is ignored (MRTR-19). Without one there is nothing to tell. */
  #given(key: string): JsonRpc.JsonObject | undefined {
    const given = this.#chain.answered.find((entry) => entry.key === key)?.answer
    return given !== undefined || this.#isResumed ? given : this.#response(key)
  }

  #answerTo(
    open: Open,
    fiber: AnyFiber
  ): Effect.Effect<JsonRpc.JsonObject, McpError.McpError | InteractionError.InteractionError> {
    const { key, question: { method, name, params } } = open
    if (this.#state.session !== undefined) {
      return Effect.mapError(this.#state.ask(method, params), (error) => answeredWith(method, error))
    }
    const answer = this.#given(key)
    if (answer === undefined) return this.#endRound(fiber)
    const before = this.#chain.answered.find((entry) => entry.key === key)?.print
    // What was answered before it was asked has no other question to be the answer to.
    return before === undefined ? Effect.succeed(answer) : Effect.flatMap(
      this.#rounds.fingerprint(method, params),
      (print) =>
        print === before
          ? Effect.succeed(answer)
          : this.wrong(new InteractionError.AskedDifferently({ key, question: name }))
    )
  }

  /** Keeps an answer that was read for the rounds to come. */
  #keep({ key, question: { method, params } }: Open, answer: JsonRpc.JsonObject): Effect.Effect<void> {
    if (this.#state.session !== undefined || this.#chain.answered.some((entry) => entry.key === key)) return Effect.void
    return Effect.map(this.#rounds.fingerprint(method, params), (print) => {
      this.#chain = { ...this.#chain, answered: [...this.#chain.answered, { key, print, answer }] }
    })
  }

  #endRound(
    fiber: AnyFiber
  ): Effect.Effect<never, McpError.McpError | InteractionError.InteractionError> {
    const { inputRounds } = this.#rounds.limits
    if (this.#asked === undefined) {
      if (this.#chain.rounds >= inputRounds) {
        return this.wrong(new InteractionError.TooManyRounds({ max: inputRounds }))
      }
      const asked = [...this.#open.values()].filter(({ key }) => this.#given(key) === undefined)
      const tooLarge = this.#tooLarge(this.#next(asked.map(({ key }) => ({ key, print: noPrint })), noPrint))
      if (tooLarge !== undefined) return this.wrong(tooLarge)
      this.#asked = asked
    }
    this.#isInputRequired = true
    const why = Context.make(InputRequired, { keys: this.#asked.map(({ key }) => key) })
    this.#state.handler?.interruptUnsafe(fiber.id, why)
    // Where something between the two waits for the asking fiber and cannot be interrupted, this one must not wait for ever.
    if (fiber !== this.#state.handler) fiber.interruptUnsafe(fiber.id, why)
    return Effect.never
  }

  /** The fault of an author, or a limit: the operator is told, whatever the handler makes of it. */
  wrong(reason: InteractionError.Reason): Effect.Effect<never, InteractionError.InteractionError> {
    const error = InteractionError.make(reason)
    return Effect.andThen(
      this.#state.toOperator(Effect.logError("A question to the client failed", Cause.fail(error))),
      Effect.fail(error)
    )
  }

  #tooLarge(chain: Chain.Chain): InteractionError.StateTooLarge | undefined {
    const max = this.#rounds.limits.requestStateSize
    const size = this.#rounds.sealedSize(chain)
    return size > max ? new InteractionError.StateTooLarge({ size, max, largest: Chain.largest(chain) }) : undefined
  }

  #next(asked: Chain.Chain["asked"], id: string): Chain.Chain {
    return { ...this.#chain, id, rounds: this.#chain.rounds + 1, asked }
  }

  readonly #inputRequired = Effect.fnUntraced({ self: this }, function*(this: Dialogue, open: ReadonlyArray<Open>) {
    const asked = yield* Effect.forEach(
      open,
      ({ key, question: { method, params } }) =>
        Effect.map(this.#rounds.fingerprint(method, params), (print) => ({ key, print }))
    )
    const chain = this.#next(asked, yield* this.id)
    // What was done while the handler was interrupted is remembered too.
    const tooLarge = this.#tooLarge(chain)
    if (tooLarge !== undefined) return yield* Effect.mapError(this.wrong(tooLarge), toMcpError)
    const requestState = yield* this.#rounds.seal(chain, this.#state)
    const inputRequests = Object.fromEntries(
      open.map(({ key, question: { method, params } }) => [key, { method, params }])
    )
    return { resultType: "input_required", inputRequests, requestState }
  })
}

/** The client's error is an answer to a question, and not what its own request is answered with. */
const answeredWith = (method: string, error: McpError.McpError): McpError.McpError =>
  error._tag === "UserRejected" || error._tag === "InternalError" ? error : new McpError.InternalError({
    message: `The client has answered ${method} with an error: ${error.message} (${error.code})`
  })

export const dialogueOf = (state: RequestState): Dialogue =>
  state.dialogue ??= new Dialogue(state, state.registry.options.rounds)
