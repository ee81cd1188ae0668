/**
 * A connection in memory: what of it is open, and the way of each message.
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import type { ClientTransport, LegacyTransport, Outgoing } from "../ClientTransport.ts"
import * as HeaderValue from "../HeaderValue.ts"
import type * as Inbound from "../Inbound.ts"
import * as JsonRpc from "../JsonRpc.ts"
import * as McpClientError from "../McpClientError.ts"
import * as McpError from "../McpError.ts"
import type { Options } from "../MemoryTransport.ts"
import * as Method from "../Method.ts"
import type * as Revision from "../Revision.ts"
import type * as Limits from "../Limits.ts"
import type { Exchange, LegacyEndpoint, ServerEndpoint, Session } from "../ServerEndpoint.ts"

type FromServer = JsonRpc.Notification | JsonRpc.Request

type Item =
  | { readonly _tag: "Message"; readonly message: FromServer }
  | { readonly _tag: "End"; readonly response: JsonRpc.Response | undefined }

export class Connection {
  readonly #endpoint: ServerEndpoint
  readonly #options: Options
  readonly #limits: Limits.Values
  readonly #opened = Deferred.makeUnsafe<Session>()
  readonly #closed = Deferred.makeUnsafe<void>()
  #session: Session | undefined
  #isOpening = false

  constructor(endpoint: ServerEndpoint, options: Options, limits: Limits.Values) {
    this.#endpoint = endpoint
    this.#options = options
    this.#limits = limits
  }

  get transport(): ClientTransport {
    return {
      kind: "memory",
      peer: undefined,
      mirrors: this.#options.mirror === true,
      send: this.#send,
      notify: (notification) => this.#whileOpen(() => this.#notify(notification)),
      reply: (response) => this.#whileOpen(() => this.#reply(response)),
      unrelated: Stream.unwrap(
        Effect.map(Deferred.await(this.#opened), (session) => unrelatedOf(session, this.#limits))
      ).pipe(
        Stream.interruptWhen(Deferred.await(this.#closed))
      ),
      legacy
    }
  }

  readonly close: Effect.Effect<void> = Effect.suspend(() => {
    Deferred.doneUnsafe(this.#closed, Effect.void)
    return this.#session?.close ?? Effect.void
  })

  readonly #send = Effect.fnUntraced({ self: this }, function*(request: Outgoing) {
    yield* this.#whileOpen(() => Effect.void)
    const queue = yield* Queue.unbounded<Item>()
    const put = (message: FromServer) => Queue.offerUnsafe(queue, { _tag: "Message", message })
    const { message } = request
    const mirrored = this.#options.mirror === true ? mirroredBy(request) : undefined

    const outcome = this.#endpoint.classify(message, mirrored)
    const { legacy } = this.#endpoint
    if (outcome._tag !== "Legacy" || legacy === undefined) {
      return yield* call(this.#endpoint, outcome, request, this.#exchange(put, mirrored, undefined), queue, "modern")
    }
    const exchange = this.#exchange(put, mirrored, put)
    const session = this.#session
    if (session !== undefined) {
      return yield* call(session, session.classify(message, mirrored), request, exchange, queue, "legacy")
    }
    // INIT-7: the one request that may come first.
    if (message.method === Method.ping.name) return JsonRpc.success(message.id, {})
    return message.method === Method.initialize.name && !this.#isOpening
      ? yield* this.#open(legacy, message, exchange)
      : refusal(message, notInitialized)
  })

  #open(legacy: LegacyEndpoint, message: JsonRpc.Request, exchange: Exchange): Effect.Effect<JsonRpc.Response> {
    return Effect.uninterruptibleMask((restore) => {
      this.#isOpening = true
      return Effect.match(restore(legacy.open(message, exchange, "connection")), {
        onFailure: (error) => refusal(message, new McpError.InternalError({ message: error.message })),
        onSuccess: ({ response, session }) => {
          if (session !== undefined) {
            this.#session = session
            session.onClose(() => Deferred.doneUnsafe(this.#closed, Effect.void))
            Deferred.doneUnsafe(this.#opened, Effect.succeed(session))
          }
          return response
        }
      }).pipe(Effect.ensuring(Effect.sync(() => {
        this.#isOpening = false
      })))
    })
  }

  #notify(notification: JsonRpc.Notification): Effect.Effect<void> {
    return Effect.sync(() => {
      const target = this.#session ?? this.#endpoint
      const outcome = target.classify(notification)
      // A cancellation is the interruption of `send` here.
      if (outcome._tag !== "Notification") return
      target.notify(outcome.notification, this.#exchange(() => {}, undefined, undefined))
    })
  }

  /** An answer nobody waits for any more is ignored (CAN-6). */
  #reply(response: JsonRpc.Response): Effect.Effect<void, McpClientError.McpClientError> {
    const session = this.#session
    return session === undefined
      ? closed("a server asks its client only within a session of the legacy era")
      : Effect.sync(() => session.accept(response))
  }

  #exchange(emit: Exchange["emit"], mirrored: Inbound.Mirrored | undefined, ask: Exchange["ask"]): Exchange {
    const context = this.#options.context ?? Context.empty()
    return { transport: "memory", context, principal: undefined, mirrored, emit, drained: Effect.void, ask }
  }

  #whileOpen<A>(
    effect: () => Effect.Effect<A, McpClientError.McpClientError>
  ): Effect.Effect<A, McpClientError.McpClientError> {
    return Effect.suspend(() =>
      Deferred.isDoneUnsafe(this.#closed) ? closed("the connection was ended here") : effect()
    )
  }
}

const call = (
  target: Pick<ServerEndpoint, "call">,
  outcome: Inbound.Outcome,
  request: Outgoing,
  exchange: Exchange,
  queue: Queue.Queue<Item>,
  era: Revision.Era
): Effect.Effect<JsonRpc.Response, McpClientError.McpClientError> => {
  if (outcome._tag === "Rejected") return Effect.succeed(refusal(request.message, outcome.error, era))
  if (outcome._tag !== "Request") return Effect.succeed(refusal(request.message, notServed, era))
  // A handler may bring about the interruption of its own caller while it is started.
  return Effect.uninterruptibleMask((restore) => {
    const running = target.call(outcome, exchange)
    running.onEnd((response) => Queue.offerUnsafe(queue, { _tag: "End", response }))
    return Effect.onInterrupt(restore(answer(request, queue)), () => Effect.sync(running.cancel))
  })
}

const answer = Effect.fnUntraced(function*(request: Outgoing, queue: Queue.Queue<Item>) {
  while (true) {
    const item = yield* Queue.take(queue)
    if (item._tag === "Message") yield* request.onMessage(item.message)
    else if (item.response === undefined) return yield* closed("the server cancelled the call")
    else return item.response
  }
})

/** There is nothing to reconnect and nothing older, and the session is the endpoint's. */
const legacy: LegacyTransport = {
  silenceIsLegacy: true,
  reconnect: Effect.void,
  opened: () => Effect.void,
  initialized: Effect.void,
  forget: Effect.void,
  older: undefined
}

/** What a session says unasked. A reader that does not keep up is ended, and the session keeps the rest. */
const unrelatedOf = (
  session: Session,
  { streamBuffer }: Limits.Values
): Stream.Stream<FromServer, McpClientError.McpClientError> =>
  Stream.callback<FromServer, McpClientError.McpClientError>((queue) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        // What has waited comes before `listen` has given back how to stop it.
        let isFull = false
        let stop = () => {}
        stop = session.listen((message) => {
          if (Queue.offerUnsafe(queue, message)) return
          isFull = true
          stop()
          Queue.failCauseUnsafe(queue, Cause.fail(tooSlow(streamBuffer)))
        })
        if (isFull) stop()
        session.onClose(() => Queue.endUnsafe(queue))
        return stop
      }),
      (stop) => Effect.sync(stop)
    ), { bufferSize: streamBuffer, strategy: "dropping" })

const tooSlow = (max: number): McpClientError.McpClientError =>
  McpClientError.make(new McpClientError.LimitExceeded({ limit: "streamBuffer", max }))

const closed = (detail: string) => Effect.fail(McpClientError.make(new McpClientError.TransportClosed({ detail })))

const notServed = new McpError.InvalidRequest({ message: "Not a request that is served here" })

const notInitialized = new McpError.InvalidRequest({
  message: "The connection is not initialized: send initialize first, and wait for its answer"
})

const refusal = (message: JsonRpc.Request, error: McpError.McpError, era: Revision.Era = "legacy") =>
  JsonRpc.failure(message.id, McpError.toErrorObject(error, era))

const mirroredBy = ({ mirror }: Outgoing): Inbound.Mirrored => (field) => {
  switch (field) {
    case "protocolVersion":
      return mirror.protocolVersion
    case "method":
      return mirror.method
    case "name":
      return encoded(mirror.name)
    default:
      return encoded(mirror.params.find(([header]) => `param:${header}`.toLowerCase() === field.toLowerCase())?.[1])
  }
}

/** As a header has it (HDR-4): what reads it decodes before it compares. */
const encoded = (value: string | undefined): string | undefined =>
  value === undefined ? undefined : HeaderValue.encode(value)
