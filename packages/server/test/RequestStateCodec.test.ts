import * as Limits from "@effect-mcp/core/Limits"
import * as NonceStore from "@effect-mcp/core/NonceStore"
import * as RequestStateCodec from "@effect-mcp/server/RequestStateCodec"
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import * as JumpingClock from "../../core/test/support/jumpingClock.ts"

const secret = Redacted.make("a secret that is long enough to be one")
const hour = 3_600_000

const binding: RequestStateCodec.Binding = {
  method: "tools/call",
  name: "deploy",
  argumentsDigest: "jNLBN3aF",
  principal: "user-1",
  audience: "notes"
}

const layer = RequestStateCodec.layer({ keys: [secret] })
const withStore = layer.pipe(Layer.provideMerge(NonceStore.layerMemory))
const codec = RequestStateCodec.RequestStateCodec

const bytesOf = (state: string): Uint8Array => {
  const decoded = Base64Url.decode(state)
  assert(Result.isSuccess(decoded))
  return decoded.success
}

type Reason = RequestStateCodec.InvalidRequestState["reason"]

/** What a state is refused for. It is a failure of one class, and of nothing else. */
const refusal = Effect.fnUntraced(function*(state: string, other: RequestStateCodec.Binding = binding) {
  const error = yield* Effect.flip((yield* codec).open(state, other))
  assert.instanceOf(error, RequestStateCodec.InvalidRequestState)
  assert.deepStrictEqual(Object.keys(error), ["_tag", "reason"])
  return error.reason
})

const expectRefused = Effect.fnUntraced(function*(
  states: Iterable<string>,
  reasons: ReadonlyArray<Reason>
) {
  const met = new Set<Reason>()
  for (const state of states) met.add(yield* refusal(state))
  assert.sameMembers([...met], [...reasons])
})

const bindings = Schema.Struct({
  method: Schema.String,
  name: Schema.String,
  argumentsDigest: Schema.String,
  principal: Schema.UndefinedOr(Schema.String),
  audience: Schema.String
})

describe("RequestStateCodec", () => {
  it.effect.prop("MRTR-14, MRTR-16: what was sealed is opened, whatever it is and belongs to", [
    Schema.String,
    bindings
  ], ([text, binding]) =>
    Effect.gen(function*() {
      const { open, seal } = yield* codec
      for (const payload of [JSON.stringify(text), "", "\uFEFFüöä法🦊\0\n"]) {
        assert.strictEqual(yield* open(yield* seal(payload, binding), binding), payload)
      }
    }).pipe(Effect.provide(layer)))

  it.effect.prop("MRTR-16: what was sealed for one request is opened for no other", [bindings, bindings], ([
    one,
    other
  ]) =>
    Effect.gen(function*() {
      const { seal } = yield* codec
      const state = yield* seal("{}", one)
      for (const wrong of [other, { ...one, name: `${one.name}x` }, { ...one, principal: `${one.principal}` }]) {
        const isSame = JSON.stringify(wrong) === JSON.stringify(one)
        if (!isSame) assert.strictEqual(yield* refusal(state, wrong), "does not belong to this request")
      }
    }).pipe(Effect.provide(layer)))

  it.effect.prop(
    "sealedSize is the size, to the character",
    [Schema.String, bindings],
    ([text, binding]) =>
      Effect.gen(function*() {
        const { seal, sealedSize } = yield* codec
        for (const payload of [text, JSON.stringify(text), `${text}ü`, `${text}🦊`]) {
          assert.strictEqual(sealedSize(payload), (yield* seal(payload, binding)).length)
        }
      }).pipe(Effect.provide(layer))
  )

  it.effect("MRTR-14, B10: a state with any bit changed is refused", () =>
    Effect.gen(function*() {
      const { open, seal } = yield* codec
      const state = yield* seal(`{"step":2}`, binding)
      const bytes = bytesOf(state)
      const changed = Array.from({ length: bytes.length * 8 }, (_, bit) => {
        const copy = bytes.slice()
        copy[bit >> 3]! ^= 1 << (bit & 7)
        return Base64Url.encode(copy)
      })
      yield* expectRefused(changed, ["malformed", "unknown key", "does not belong to this request"])
      assert.strictEqual(yield* open(state, binding), `{"step":2}`)
    }).pipe(Effect.provide(layer)))

  it.effect("MRTR-14, B10: a state with any character changed, added or taken out is refused", () =>
    Effect.gen(function*() {
      const { seal } = yield* codec
      const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/= \n\r\0ü"
      // Three lengths, so that the last character has no unused bits, two and four.
      for (const payload of ["", "1", "22"]) {
        const state = yield* seal(payload, binding)
        const changed = new Set<string>()
        for (let place = payload === "" ? 0 : state.length - 4; place <= state.length; place++) {
          const [before, after] = [state.slice(0, place), state.slice(place)]
          for (const character of alphabet) {
            changed.add(before + character + after.slice(1))
            if (place % 16 === 0 || place > state.length - 4) changed.add(before + character + after)
          }
          changed.add(before + after.slice(1))
        }
        changed.delete(state)
        yield* expectRefused(changed, [
          "malformed",
          "does not belong to this request",
          ...(payload === "" ? ["unknown key"] as const : [])
        ])
      }
    }).pipe(Effect.provide(layer)))

  it.effect("MRTR-14, B10: a state that is cut off, doubled, empty or made up is refused", () =>
    Effect.gen(function*() {
      const { seal } = yield* codec
      const state = yield* seal(`{"step":2}`, binding)
      for (let length = 0; length < state.length; length++) {
        yield* refusal(state.slice(0, length))
        yield* refusal(state.slice(state.length - length))
      }
      yield* refusal(state + state)
      yield* expectRefused(["", " ", "null", `{"step":2}`, `${state}=`, ` ${state}`, `${state}\n`], ["malformed"])
    }).pipe(Effect.provide(layer)))

  it.effect("MRTR-14, B10: 1 MB is refused without work, also if the state was sealed", () =>
    Effect.gen(function*() {
      const { open, seal, sealedSize } = yield* codec
      const fits = "x".repeat(49_095)
      assert.strictEqual(sealedSize(fits), 65_536)
      assert.strictEqual(yield* open(yield* seal(fits, binding), binding), fits)
      yield* expectRefused([yield* seal(`${fits}x`, binding), "A".repeat(1_048_576)], ["too large"])
    }).pipe(Effect.provide(layer)))

  it.effect("the requestStateSize limit is that of the application", () =>
    Effect.gen(function*() {
      const { seal } = yield* codec
      yield* expectRefused([yield* seal("x".repeat(100), binding)], ["too large"])
    }).pipe(Effect.provide(layer.pipe(Layer.provide(Limits.layer({ requestStateSize: 100 }))))))

  it.effect("MRTR-16, B10: another tool, method, arguments, user or audience is refused", () =>
    Effect.gen(function*() {
      const { seal } = yield* codec
      const state = yield* seal("{}", binding)
      const { name, principal } = binding
      const wrong: ReadonlyArray<Partial<RequestStateCodec.Binding>> = [
        { method: "prompts/get" },
        { name: "destroy" },
        { argumentsDigest: "other" },
        { principal: "user-2" },
        { principal: undefined },
        { principal: "" },
        { audience: "other" },
        // What is moved from one member to the next.
        { method: "tools/", name: `call${name}` },
        { name: `${name}","`, argumentsDigest: "" },
        { principal: `${principal}","notes`, audience: "" }
      ]
      for (const change of wrong) {
        assert.strictEqual(yield* refusal(state, { ...binding, ...change }), "does not belong to this request")
      }
      const nobody = { ...binding, principal: undefined }
      const ofNobody = yield* seal("{}", nobody)
      for (const principal of ["", "null", "undefined"]) {
        assert.strictEqual(yield* refusal(ofNobody, { ...nobody, principal }), "does not belong to this request")
      }
    }).pipe(Effect.provide(layer)))

  it.effect("MRTR-16: the audience of the layer is one more that a state is bound to", () =>
    Effect.gen(function*() {
      const build = (audience?: string) =>
        Effect.map(Layer.build(RequestStateCodec.layer({ keys: [secret], audience })), Context.get(codec))
      const [plain, staging, production] = [yield* build(), yield* build("staging"), yield* build("production")]
      const state = yield* staging.seal("{}", binding)
      assert.strictEqual(yield* (yield* build("staging")).open(state, binding), "{}")
      for (const other of [plain, production]) {
        const error = yield* Effect.flip(other.open(state, binding))
        assert.strictEqual(error.message, "the state of a request was refused: does not belong to this request")
      }
    }))

  it.effect("MRTR-14: the payload cannot be read, and no state is like another", () =>
    Effect.gen(function*() {
      const { seal } = yield* codec
      const count = 5_000
      const states = yield* Effect.replicateEffect(seal("a payload to be seen", binding), count)
      const nonces = new Set(states.map((state) => Base64Url.encode(bytesOf(state).subarray(9, 33))))
      assert.strictEqual(nonces.size, count)
      for (const state of states) assert.notInclude(new TextDecoder().decode(bytesOf(state)), "payload")
    }).pipe(Effect.provide(layer)))

  it.effect("the nonces are those of the application's SecureRandom, and with the same nonce a state is always the same", () =>
    Effect.gen(function*() {
      const { open, seal } = yield* codec
      const state = yield* seal("{}", binding)
      assert.deepStrictEqual([...bytesOf(state).subarray(9, 33)], Array.from({ length: 24 }, () => 7))
      // What is sealed now is opened by a node with another version of this package.
      assert.strictEqual(state, "ASm8D38iLV7KBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHy-b4ROoo9ZtfvCbFhbiO0zJCBD1aN-zOzUE")
      assert.strictEqual(yield* open(state, binding), "{}")
    }).pipe(Effect.provide(layer.pipe(
      Layer.provide(
        Layer.succeed(SecureRandom.SecureRandom, SecureRandom.make((size) => new Uint8Array(size).fill(7)))
      )
    ))))

  it.effect("MRTR-16, B10: a state ends after requestStateTtl, to the millisecond", () =>
    Effect.gen(function*() {
      const { open, seal } = yield* codec
      const state = yield* seal("{}", binding)
      yield* TestClock.adjust(599_999)
      assert.strictEqual(yield* open(state, binding), "{}")
      yield* TestClock.adjust(1)
      yield* expectRefused([state], ["expired"])
    }).pipe(Effect.provide(layer)))

  it.effect("MRTR-16: the requestStateTtl limit is that of the application", () =>
    Effect.gen(function*() {
      const { seal } = yield* codec
      const state = yield* seal("{}", binding)
      yield* TestClock.adjust(100)
      yield* expectRefused([state], ["expired"])
    }).pipe(Effect.provide(layer.pipe(Layer.provide(Limits.layer({ requestStateTtl: 100 }))))))

  it.effect("MRTR-17: without a store a state can be used until it expires", () =>
    Effect.gen(function*() {
      const { open, seal } = yield* codec
      const state = yield* seal("{}", binding)
      for (let i = 0; i < 3; i++) assert.strictEqual(yield* open(state, binding), "{}")
    }).pipe(Effect.provide(layer)))

  it.effect("MRTR-17, B10: with a store a state can be used once, and a refused one is not used", () =>
    Effect.gen(function*() {
      const { open, seal } = yield* codec
      const [state, other] = [yield* seal("{}", binding), yield* seal("{}", binding)]
      yield* refusal(state, { ...binding, name: "destroy" })
      assert.strictEqual(yield* open(state, binding), "{}")
      yield* expectRefused([state], ["used"])
      assert.strictEqual(yield* open(other, binding), "{}")
      yield* TestClock.adjust(600_000)
      yield* expectRefused([state], ["expired"])
    }).pipe(Effect.provide(withStore)))

  it.effect("MRTR-17: of several who use a state at the same time, one does", () =>
    Effect.gen(function*() {
      const { open, seal } = yield* codec
      const state = yield* seal("{}", binding)
      const results = yield* Effect.all(Array.from({ length: 20 }, () => Effect.result(open(state, binding))), {
        concurrency: "unbounded"
      })
      assert.lengthOf(results.filter(Result.isSuccess), 1)
    }).pipe(Effect.provide(withStore)))

  it.effect("MRTR-17: a node whose clock is behind by requestStateTtl does not take what another has used", () =>
    Effect.gen(function*() {
      const behind = yield* JumpingClock.make
      yield* behind.jumpTo(-600_000)
      const { open, seal } = yield* codec
      const state = yield* seal("{}", binding)
      yield* TestClock.adjust(300_000)
      yield* open(state, binding)
      for (let passed = 300_000; passed < 1_200_000; passed += 1_000) {
        assert.strictEqual(yield* Effect.provide(refusal(state), behind.layer), "used")
        yield* TestClock.adjust(1_000)
      }
      assert.strictEqual(yield* Effect.provide(refusal(state), behind.layer), "expired")
    }).pipe(Effect.provide(withStore)))

  it.effect("MRTR-17: a store that is down or full is an error, and the state is not taken", () =>
    Effect.gen(function*() {
      const down = new NonceStore.NonceStoreUnavailable({ cause: new Error("ECONNREFUSED") })
      const broken = Layer.succeed(NonceStore.NonceStore, { claim: () => Effect.fail(down) })
      const tiny = NonceStore.layerMemory.pipe(Layer.provide(Limits.layer({ nonces: 1 })))
      for (const [store, tag] of [[broken, "NonceStoreUnavailable"], [tiny, "TooManyNonces"]] as const) {
        const { open, seal } = Context.get(yield* Layer.build(Layer.provide(layer, store)), codec)
        const [first, second] = [yield* seal("{}", binding), yield* seal("{}", binding)]
        yield* Effect.result(open(first, binding))
        assert.strictEqual((yield* Effect.flip(open(second, binding)))._tag, tag)
      }
    }))

  it.effect("F14: the clock jumps an hour on and back, and what is sealed from then on is opened", () =>
    Effect.gen(function*() {
      const clock = yield* JumpingClock.make
      const testClock = yield* Clock.Clock
      const letPass = (millis: number) => Effect.provideService(TestClock.adjust(millis), Clock.Clock, testClock)
      yield* Effect.gen(function*() {
        const { open, seal } = yield* codec
        const before = yield* Effect.replicateEffect(seal("before", binding), 200)
        // Back: what was sealed lives on, and its use is remembered.
        yield* clock.jumpTo(-hour)
        const back = yield* seal("back", binding)
        for (const state of before.slice(0, 100)) assert.strictEqual(yield* open(state, binding), "before")
        yield* expectRefused(before.slice(0, 100), ["used"])
        assert.strictEqual(yield* open(back, binding), "back")
        yield* letPass(hour)
        yield* expectRefused(before.slice(0, 100), ["used"])
        // On: all of them expire together, and nothing else happens.
        yield* clock.jumpTo(hour)
        yield* expectRefused([...before, back], ["expired"])
        const on = yield* seal("on", binding)
        yield* letPass(599_999)
        assert.strictEqual(yield* open(on, binding), "on")
        yield* expectRefused([on], ["used"])
      }).pipe(Effect.provide(withStore), Effect.provide(clock.layer))
    }))
})
