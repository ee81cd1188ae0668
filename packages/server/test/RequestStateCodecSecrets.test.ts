/** Where the secrets of a `RequestStateCodec` come from, how they are replaced, and that nothing of them is seen. */
import * as RequestStateCodec from "@effect-mcp/server/RequestStateCodec"
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import type * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as CryptoError from "effect/crypto/CryptoError"
import * as Kdf from "effect/crypto/Kdf"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { inspect } from "node:util"

type Codec = RequestStateCodec.RequestStateCodec["Service"]

const variable = "MCP_REQUEST_STATE_KEYS"
const one = "one secret that is long enough 🦊"
const two = "another secret that is long enough"

const binding: RequestStateCodec.Binding = {
  method: "tools/call",
  name: "deploy",
  argumentsDigest: "jNLBN3aF",
  principal: "user-1",
  audience: "notes"
}

const build = <E>(layer: Layer.Layer<RequestStateCodec.RequestStateCodec, E>) =>
  Effect.map(Layer.build(Layer.fresh(layer)), Context.get(RequestStateCodec.RequestStateCodec))

const withSecrets = (first: string, ...others: ReadonlyArray<string>) =>
  build(RequestStateCodec.layer({ keys: [Redacted.make(first), ...others.map((other) => Redacted.make(other))] }))

const withVariables = (env: Record<string, string>) => ConfigProvider.layer(ConfigProvider.fromEnv({ env }))

const fromConfig = (value: string | undefined, layer = RequestStateCodec.layerConfig()) =>
  build(layer).pipe(Effect.provide(withVariables(value === undefined ? {} : { [variable]: value })))

const opens = Effect.fnUntraced(function*(from: Codec, to: Codec) {
  const exit = yield* Effect.exit(Effect.flatMap(from.seal("{}", binding), (state) => to.open(state, binding)))
  return Exit.isSuccess(exit)
})

/** What is logged by the build and by the use of a codec. */
const captureLogs = () => {
  const lines: Array<string> = []
  const layer = Logger.layer([Logger.make(({ cause, logLevel, message }) => {
    lines.push(`${logLevel} ${[message].flat().join(" ")} ${cause.reasons.join(" ")}`)
  })])
  return { lines, layer }
}

describe("the secrets of RequestStateCodec", () => {
  it.effect("MRTR-14: nodes with the same secret open what any of them sealed, and others do not", () =>
    Effect.gen(function*() {
      const [first, second, other] = [yield* withSecrets(one), yield* withSecrets(one), yield* withSecrets(two)]
      assert.isTrue(yield* opens(first, second))
      assert.isFalse(yield* opens(first, other))
      const error = yield* Effect.flip(other.open(yield* first.seal("{}", binding), binding))
      assert.strictEqual(error.message, "the state of a request was refused: unknown key")
    }))

  it.effect("F15: three nodes get a new secret in three phases, one node after the other, and nothing is refused", () =>
    Effect.gen(function*() {
      const phases = [
        { ring: [one, two], wait: 1_000 },
        { ring: [two, one], wait: 600_000 },
        { ring: [two], wait: 0 }
      ] as const
      const nodes = [yield* withSecrets(one), yield* withSecrets(one), yield* withSecrets(one)]
      let states: Array<{ readonly state: string; readonly payload: string }> = []
      let opened = 0

      const work = Effect.fnUntraced(function*() {
        yield* Effect.forEach(
          nodes,
          (node, index) =>
            Effect.forEach(Array.from({ length: 10 }), (_, i) =>
              Effect.gen(function*() {
                const payload = `node ${index}, ${i}`
                states.push({ state: yield* node.seal(payload, binding), payload })
              }), { concurrency: "unbounded" }),
          { concurrency: "unbounded" }
        )
        yield* Effect.forEach(states, ({ payload, state }) =>
          Effect.forEach(nodes, (node) =>
            Effect.gen(function*() {
              assert.strictEqual(yield* node.open(state, binding), payload)
              opened++
            })), { concurrency: "unbounded" })
      })

      yield* work()
      for (const { ring: [first, ...others], wait } of phases) {
        for (let index = 0; index < nodes.length; index++) {
          nodes[index] = yield* withSecrets(first, ...others)
          yield* work()
        }
        yield* TestClock.adjust(wait)
        // What was sealed lives on into the next phase, but for the last one, which waits until it has expired.
        if (wait === 600_000) states = []
      }
      assert.isAbove(opened, 3_000)
    }))

  it.effect("F15: an old secret that is taken away at once refuses what it has sealed, and nothing else", () =>
    Effect.gen(function*() {
      const [before, after] = [yield* withSecrets(one), yield* withSecrets(two)]
      assert.isFalse(yield* opens(before, after))
      assert.isTrue(yield* opens(after, after))
    }))

  it.effect("a secret of 31 characters is refused, and the error says which one it is and nothing of it", () =>
    Effect.gen(function*() {
      const short = "0123456789-0123456789-012345678"
      assert.lengthOf(short, 31)
      const error = yield* Effect.flip(withSecrets(one, short, two))
      assert.instanceOf(error, RequestStateCodec.ShortSecret)
      assert.strictEqual(
        error.message,
        "RequestStateCodec.layer({ keys }): secret 2 has fewer than 32 characters. " +
          `Take random ones, such as "openssl rand -base64 32" prints`
      )
      assert.notInclude(`${inspect(error)}${error.stack}`, short.slice(0, 8))
      yield* withSecrets(`${short}9`)
    }))

  it.effect("layerConfig: secrets that commas separate, and space around them is no part of them", () =>
    Effect.gen(function*() {
      const ring = yield* fromConfig(` ${one} ,${two}\n`)
      const [first, second] = [yield* withSecrets(one), yield* withSecrets(two)]
      assert.isTrue(yield* opens(ring, first))
      assert.isFalse(yield* opens(ring, second))
      assert.isTrue(yield* opens(second, ring))
      const bound = yield* fromConfig(one, RequestStateCodec.layerConfig({ audience: "here" }))
      assert.isTrue(yield* opens(bound, bound))
      assert.isFalse(yield* opens(bound, ring))
    }))

  const advice = `Take random ones, such as "openssl rand -base64 32" prints`

  for (
    const [what, value, message] of [
      ["is not set", undefined, `${variable} is not set. Set it to a secret of at least 32 characters. ${advice}`],
      ["is empty", "", `${variable} is not set. Set it to a secret of at least 32 characters. ${advice}`],
      ["is white space", "  ", `${variable}: secret 1 has fewer than 32 characters. ${advice}`],
      ["is short", "hunter2-hunter2", `${variable}: secret 1 has fewer than 32 characters. ${advice}`],
      ["ends in a comma", `${one},`, `${variable}: secret 2 has fewer than 32 characters. ${advice}`],
      ["has a short one", `${one},hunter2,${two}`, `${variable}: secret 2 has fewer than 32 characters. ${advice}`]
    ] as const
  ) {
    it.effect(`layerConfig: a variable that ${what} fails the layer, and the value is not told`, () =>
      Effect.gen(function*() {
        const error: Config.ConfigError = yield* Effect.flip(fromConfig(value))
        assert.strictEqual(error._tag, "ConfigError")
        assert.include(error.message, message)
        for (const secret of ["hunter2", one]) {
          assert.notInclude(`${inspect(error, { depth: 10, showHidden: true })}${JSON.stringify(error)}`, secret)
        }
        // No server goes on with a key of its own that was meant to have another.
        if (value) {
          assert.strictEqual(`${yield* Effect.flip(fromConfig(value, RequestStateCodec.layerDefault))}`, `${error}`)
        }
      }))
  }

  it.effect("layerDefault: the secrets of the variable if it is set, and then nothing is logged", () =>
    Effect.gen(function*() {
      const { layer, lines } = captureLogs()
      yield* Effect.gen(function*() {
        const codec = yield* fromConfig(one, RequestStateCodec.layerDefault)
        assert.isTrue(yield* opens(codec, yield* withSecrets(one)))
        assert.isTrue(yield* opens(codec, codec))
      }).pipe(Effect.provide(layer))
      assert.deepStrictEqual(lines, [])
    }))

  it.effect("layerDefault: without the variable a key of its own, and one warning when the first state is sealed", () =>
    Effect.gen(function*() {
      const { layer, lines } = captureLogs()
      const ofRequest = captureLogs()
      yield* Effect.gen(function*() {
        const codec = yield* fromConfig(undefined, RequestStateCodec.layerDefault)
        codec.sealedSize("{}")
        yield* Effect.exit(codec.open("A".repeat(100), binding))
        assert.deepStrictEqual(lines, [])
        // The loggers of a request are not those of the server: a client may read what goes there.
        const seals = Effect.all(Array.from({ length: 10 }, () => codec.seal("{}", binding)), {
          concurrency: "unbounded"
        })
        yield* Effect.provide(seals, ofRequest.layer)
        yield* seals
        assert.isTrue(yield* opens(codec, codec))
        assert.isFalse(yield* opens(codec, yield* fromConfig(undefined, RequestStateCodec.layerDefault)))
      }).pipe(Effect.provide(layer))
      assert.deepStrictEqual(ofRequest.lines, [])
      assert.lengthOf(lines, 1)
      assert.match(lines[0] ?? "", /^Warn MCP_REQUEST_STATE_KEYS is not set, .* After a restart, and on other nodes, /)
    }))

  it.effect("layerMemory: a key of its own, whatever the variable says, and nothing is logged", () =>
    Effect.gen(function*() {
      const { layer, lines } = captureLogs()
      yield* Effect.gen(function*() {
        const codec = yield* fromConfig(one, RequestStateCodec.layerMemory)
        assert.isTrue(yield* opens(codec, codec))
        assert.isFalse(yield* opens(codec, yield* withSecrets(one)))
        assert.isFalse(yield* opens(codec, yield* fromConfig(one, RequestStateCodec.layerMemory)))
      }).pipe(Effect.provide(layer))
      assert.deepStrictEqual(lines, [])
    }))

  it.effect("no key is derived before it is needed, and each once", () =>
    Effect.gen(function*() {
      let derived = 0
      const counting = Layer.effect(
        Kdf.Kdf,
        Effect.map(Kdf.Kdf, (kdf) => ({
          derive: (...args: Parameters<typeof kdf.derive>) => Effect.suspend(() => (derived++, kdf.derive(...args)))
        }))
      ).pipe(Layer.provide(Kdf.layerWebCrypto))
      yield* Effect.gen(function*() {
        const codec = yield* withSecrets(one, two)
        yield* Effect.exit(codec.open("nothing of ours", binding))
        assert.strictEqual(derived, 0)
        const states = yield* Effect.all(Array.from({ length: 10 }, () => codec.seal("{}", binding)), {
          concurrency: "unbounded"
        })
        for (const state of states) yield* codec.open(state, binding)
        assert.strictEqual(derived, 2)
      }).pipe(Effect.provide(counting))
    }))

  it.effect("a request that is interrupted while keys are derived leaves them to the next", () =>
    Effect.gen(function*() {
      const never = { derive: () => Effect.never }
      let isFirst = true
      const stuck = Layer.effect(
        Kdf.Kdf,
        Effect.map(Kdf.Kdf, (kdf): Kdf.Kdf["Service"] => ({
          derive: (...args) => {
            const service = isFirst ? never : kdf
            isFirst = false
            return service.derive(...args)
          }
        }))
      ).pipe(Layer.provide(Kdf.layerWebCrypto))
      yield* Effect.gen(function*() {
        const codec = yield* withSecrets(one)
        const fiber = yield* Effect.forkChild(codec.seal("{}", binding), { startImmediately: true })
        yield* Fiber.interrupt(fiber)
        assert.isTrue(yield* opens(codec, codec))
      }).pipe(Effect.provide(stuck))
    }))

  it.effect("no secret and no payload is in a codec, an error, a defect or a log", () =>
    Effect.gen(function*() {
      const { layer, lines } = captureLogs()
      const payload = "a payload of the handler"
      yield* Effect.gen(function*() {
        const codec = yield* withSecrets(one)
        const state = yield* codec.seal(payload, binding)
        const error = yield* Effect.flip(codec.open(state, { ...binding, name: "destroy" }))
        const shown = [inspect(codec, { depth: 10, showHidden: true }), `${codec}`, JSON.stringify(codec)]
        for (const text of [...shown, inspect(error, { depth: 10, showHidden: true }), `${error}`, `${error.stack}`]) {
          assert.notInclude(text, one)
          assert.notInclude(text, payload)
          assert.notInclude(text, binding.principal!)
        }
        const broken = yield* withSecrets(one).pipe(
          Effect.provideService(Kdf.Kdf, {
            derive: () =>
              new CryptoError.CryptoError({
                module: "Kdf",
                method: "derive",
                reason: new CryptoError.Unsupported({ description: "no crypto here" })
              })
          })
        )
        const exit = yield* Effect.exit(broken.seal(payload, binding))
        assert(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
        for (const secret of [one, payload]) assert.notInclude(inspect(exit, { depth: 10, showHidden: true }), secret)
      }).pipe(Effect.provide(layer))
      assert.deepStrictEqual(lines, [])
    }))
})
