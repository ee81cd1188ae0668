/**
 * A client's way to a command: to the process that runs, and to the next one when that had to be started again.
 */
import {
  type ClientTransport,
  type LegacyTransport,
  McpTransport,
  type Outgoing
} from "@effect-mcp/core/ClientTransport"
import type * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as Limits from "@effect-mcp/core/Limits"
import type { McpClientError } from "@effect-mcp/core/McpClientError"
import * as Method from "@effect-mcp/core/Method"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import * as Semaphore from "effect/Semaphore"
import type { ClientOptions } from "../McpStdio.ts"
import * as ServerProcess from "./serverProcess.ts"
import * as Unrelated from "./unrelated.ts"

type Start = Effect.Effect<ServerProcess.ServerProcess, McpClientError>

class StdioTransport implements ClientTransport {
  readonly kind = "stdio"
  readonly peer = undefined
  readonly mirrors = false
  readonly unrelated: ClientTransport["unrelated"]
  readonly #start: Start
  readonly #unrelated: Unrelated.Unrelated
  // One process at a time: none is started while another is being stopped.
  readonly #lock = Semaphore.makeUnsafe(1)
  #current: ServerProcess.ServerProcess
  #isClosed = false

  constructor(start: Start, first: ServerProcess.ServerProcess, unrelated: Unrelated.Unrelated) {
    this.#start = start
    this.#current = first
    this.#unrelated = unrelated
    this.unrelated = unrelated.stream
  }

  readonly send = (request: Outgoing): Effect.Effect<JsonRpc.Response, McpClientError> =>
    Effect.suspend(() => {
      const { connection } = this.#current
      const { wasAsked } = connection
      const sent = connection.send(request)
      if (request.message.method !== Method.initialize.name || !wasAsked) return sent
      // A server that did not understand what it was asked before may end for it only now.
      return sent.pipe(Effect.catch((error) =>
        error.reason._tag === "TransportClosed"
          ? Effect.andThen(this.#reconnect, Effect.suspend(() => this.#current.connection.send(request)))
          : Effect.fail(error)
      ))
    })

  readonly notify = (notification: JsonRpc.Notification): Effect.Effect<void, McpClientError> =>
    Effect.suspend(() => this.#current.connection.notify(notification))

  readonly reply = (response: JsonRpc.Response): Effect.Effect<void, McpClientError> =>
    Effect.suspend(() => this.#current.connection.reply(response))

  readonly close: Effect.Effect<void> = Effect.suspend(() => {
    this.#isClosed = true
    this.#unrelated.end()
    return this.#lock.withPermit(Effect.suspend(() => this.#current.stop))
  })

  /** Whatever the old process may still do has been done when the new one is started. */
  readonly #restart: Effect.Effect<void, McpClientError> = Effect.suspend(() => {
    if (this.#isClosed) return Effect.fail(ServerProcess.stopped)
    const old = this.#current
    if (!old.isEnding()) return Effect.void
    return old.ended.pipe(
      Effect.andThen(old.stop),
      Effect.andThen(this.#unrelated.renew),
      Effect.andThen(this.#start),
      Effect.map((next) => {
        this.#current = next
      })
    )
  })

  readonly #reconnect: Effect.Effect<void, McpClientError> = Effect.suspend(() =>
    this.#isClosed
      ? Effect.fail(ServerProcess.stopped)
      : this.#lock.withPermit(Effect.uninterruptible(this.#restart))
  )

  readonly legacy: LegacyTransport = {
    silenceIsLegacy: true,
    reconnect: this.#reconnect,
    opened: (revision) => Effect.sync(() => this.#current.connection.opened(revision)),
    initialized: Effect.void,
    forget: Effect.void,
    older: undefined
  }
}

const make = Effect.fnUntraced(function*(options: ClientOptions) {
  const limits = yield* Limits.Limits
  const context = yield* Effect.context<ChildProcessSpawner>()
  const unrelated = yield* Unrelated.make(limits.streamBuffer)
  const start = Effect.provideContext(ServerProcess.start(options, unrelated), context)
  const first = Effect.map(start, (process) => new StdioTransport(start, process, unrelated))
  return yield* Effect.acquireRelease(first, (transport) => transport.close)
})

export const layer = (
  options: ClientOptions
): Layer.Layer<McpTransport, McpClientError, ChildProcessSpawner> => Layer.effect(McpTransport, make(options))
