import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { Output } from "../src/internal/output.ts"

const collect = (output: Output, writes: Array<string>) =>
  Stream.runForEach(output.stream, (text) => Effect.sync(() => void writes.push(text)))

/** Lets everybody run until nothing happens any more. */
const settle = Effect.forEach(Array.from({ length: 10 }), () => Effect.yieldNow, { discard: true })

describe("Output", () => {
  it.effect("one write for all lines of a tick", () =>
    Effect.gen(function*() {
      const output = new Output(1_000, 100)
      const writes: Array<string> = []
      const fiber = yield* Effect.forkChild(collect(output, writes))
      yield* settle
      for (let i = 0; i < 5; i++) output.write(`line ${i}`)
      output.writeLater(() => "line 5")
      yield* settle
      output.write("line 6")
      output.end()
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(writes, ["line 0\nline 1\nline 2\nline 3\nline 4\nline 5\n", "line 6\n"])
    }))

  it.effect("case 7: a line is not printed while there is no room, and drained waits for the reader", () =>
    Effect.gen(function*() {
      const output = new Output(100, 1_000)
      let printed = 0
      for (let i = 0; i < 20; i++) {
        output.writeLater(() => {
          printed++
          return "x".repeat(50)
        })
      }
      assert.strictEqual(printed, 2)
      assert.isTrue(output.isFull)
      const waiting = yield* Effect.forkChild(output.drained)
      yield* settle
      assert.isUndefined(waiting.pollUnsafe())
      const writes: Array<string> = []
      const fiber = yield* Effect.forkChild(collect(output, writes))
      yield* Fiber.join(waiting)
      assert.isFalse(output.isFull)
      output.end()
      yield* Fiber.join(fiber)
      assert.strictEqual(writes.join(""), `${"x".repeat(50)}\n`.repeat(20))
    }))

  it.effect("lines are bounded in number too", () =>
    Effect.gen(function*() {
      const output = new Output(1_000_000, 10)
      for (let i = 0; i < 10; i++) output.write("x")
      assert.isTrue(output.isFull)
    }))

  it.effect("close lets everybody go and drops what comes", () =>
    Effect.gen(function*() {
      const output = new Output(1, 10)
      output.write("too much")
      const waiting = yield* Effect.forkChild(output.drained)
      yield* settle
      output.close()
      yield* Fiber.join(waiting)
      output.write("more")
      const writes: Array<string> = []
      yield* collect(output, writes)
      assert.deepStrictEqual(writes, [])
    }))
})
