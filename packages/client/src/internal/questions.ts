/**
 * The requests of a server of the legacy era, each answered in a fiber of its own.
 */
import type { ClientTransport } from "@effect-mcp/core/ClientTransport"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import type * as Limits from "@effect-mcp/core/Limits"
import * as McpError from "@effect-mcp/core/McpError"
import * as Method from "@effect-mcp/core/Method"
import * as Projection from "@effect-mcp/core/Projection"
import type { Revision } from "@effect-mcp/core/Revision"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import type { Asker } from "../Handlers.ts"
import type { Question } from "./capabilities.ts"
import type { Pending } from "./pending.ts"

/** Answers one question, whatever its method. What a handler requires is in the context its client was made in. */
export type Respond = (
  question: Question,
  asker: Asker
) => Effect.Effect<JsonRpc.JsonObject, McpError.McpError>

interface Open {
  fiber: Fiber.Fiber<unknown, unknown> | undefined
  /** Whether nothing may be answered any more. */
  silent: boolean
  /** The request of ours on whose stream it was asked. */
  readonly own: Pending | undefined
}

export class Questions {
  readonly #transport: ClientTransport
  readonly #respond: Respond
  readonly #max: number
  readonly #maxBytes: number
  readonly #run: (effect: Effect.Effect<unknown, unknown>) => Fiber.Fiber<unknown, unknown>
  /** By the server's ids, which have nothing to do with ours. */
  readonly #open = new Map<JsonRpc.Id, Open>()
  #busy = 0
  #closed = false
  /** Who asks. Nobody does before `initialize`, or in the modern era (RPC-14). */
  asker: Asker | undefined

  constructor(
    transport: ClientTransport,
    respond: Respond,
    { inFlightRequests, messageBytes }: Limits.Values,
    run: (effect: Effect.Effect<unknown, unknown>) => Fiber.Fiber<unknown, unknown>
  ) {
    this.#transport = transport
    this.#respond = respond
    this.#max = inFlightRequests
    this.#maxBytes = messageBytes
    this.#run = run
  }

  /** Begins to answer. The requests that may be waiting for it are held up until it is done. */
  ask(request: JsonRpc.Request, own: Pending | undefined, held: ReadonlyArray<Pending>): void {
    const { asker } = this
    if (asker === undefined || this.#closed) return
    const { id } = request
    // Refusals cost something too: one who asks more than twice as much as is allowed is not listened to.
    if (this.#busy >= this.#max * 2) return
    if (this.#open.has(id)) return this.#reply(asker.revision, id, Exit.fail(duplicate))
    if (this.#open.size >= this.#max) return this.#reply(asker.revision, id, Exit.fail(tooMany))
    const question: Open = { fiber: undefined, silent: false, own }
    this.#open.set(id, question)
    this.#busy++
    for (const pending of held) pending.hold()
    const fiber = this.#run(Effect.suspend(() => this.#respond(request, asker)))
    question.fiber = fiber
    fiber.addObserver((exit) => {
      this.#busy--
      this.#open.delete(id)
      for (const pending of held) pending.release()
      if (!question.silent && !this.#closed) this.#reply(asker.revision, id, exit as Answer, request)
    })
  }

  /** The server takes a question back: it wants no answer any more (CAN-4, CAN-5). */
  cancel(id: JsonRpc.Id): void {
    const question = this.#open.get(id)
    if (question === undefined) return
    question.silent = true
    question.fiber?.interruptUnsafe()
  }

  /** A request of ours was given up, and with it what was asked for its sake. The server is told so. */
  giveUp(own: Pending): void {
    for (const question of this.#open.values()) {
      if (question.own === own) question.fiber?.interruptUnsafe()
    }
  }

  /** The session is gone, and with it all who wait for an answer. */
  forget(): void {
    for (const id of this.#open.keys()) this.cancel(id)
  }

  close(): void {
    this.#closed = true
  }

  #reply(revision: Revision, id: JsonRpc.Id, exit: Answer, request?: JsonRpc.Request): void {
    this.#busy++
    const response = responseOf(revision, id, exit, request)
    this.#run(
      this.#transport.reply(isLonger(response, this.#maxBytes) ? tooLong(revision, id, this.#maxBytes) : response).pipe(
        // Whoever asked is gone.
        Effect.catch((error) => Effect.logDebug("An answer to the server could not be sent", error.message)),
        Effect.ensuring(Effect.sync(() => this.#busy--))
      )
    )
  }
}

type Answer = Exit.Exit<JsonRpc.JsonObject, McpError.McpError>

const responseOf = (
  revision: Revision,
  id: JsonRpc.Id,
  exit: Answer,
  request: JsonRpc.Request | undefined
): JsonRpc.Response => {
  if (Exit.isSuccess(exit)) {
    const isAsAsked = request === undefined || asksForLists(request)
    return JsonRpc.success(id, isAsAsked ? exit.value : Projection.result(revision, request.method)(exit.value))
  }
  const failure = exit.cause.reasons.find(Cause.isFailReason)
  const error = failure !== undefined ? failure.error : Cause.hasDies(exit.cause) ? internal : givenUp
  return JsonRpc.failure(id, Projection.error(revision, error))
}

/** ELI-11: whoever asks for a list, in a revision that has none, takes one. */
const asksForLists = ({ method, params }: JsonRpc.Request): boolean => {
  const form = method === Method.elicit.name ? params?.requestedSchema : undefined
  const fields = JsonRpc.isJsonObject(form) && JsonRpc.isJsonObject(form.properties) ? form.properties : {}
  return Object.values(fields).some((field) => JsonRpc.isJsonObject(field) && field.type === "array")
}

const utf8 = new TextEncoder()

/** The server would not read it, and wait for its answer for ever. */
const isLonger = (response: JsonRpc.Response, bytes: number): boolean => {
  const text = Result.getOrElse(JsonRpc.print(response), () => "")
  return text.length > bytes || (text.length * 3 > bytes && utf8.encode(text).length > bytes)
}

const tooLong = (revision: Revision, id: JsonRpc.Id, bytes: number): JsonRpc.Response => {
  const message = `The answer is longer than ${bytes} bytes (the limit messageBytes)`
  return JsonRpc.failure(id, Projection.error(revision, new McpError.InternalError({ message })))
}

const duplicate = new McpError.InvalidRequest({ message: "The id is that of a request without an answer yet" })
const tooMany = new McpError.InternalError({ message: "Too many requests without an answer yet" })
const givenUp = new McpError.InternalError({ message: "The request this was asked for was given up" })
const internal = new McpError.InternalError({ message: "Internal error" })
