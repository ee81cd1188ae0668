import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { type Line, LineReader } from "../src/internal/lineReader.ts"

const bytes = (text: string) => new TextEncoder().encode(text)

const read = (chunks: Iterable<Uint8Array>, maxBytes = 1_000): Array<Line> => {
  const reader = new LineReader(maxBytes)
  const lines: Array<Line> = []
  const take = () => {
    for (let line = reader.next(); line !== undefined; line = reader.next()) lines.push(line)
  }
  for (const chunk of chunks) {
    reader.push(chunk)
    take()
  }
  reader.end()
  take()
  return lines
}

const eachByte = (data: Uint8Array) => Array.from(data, (byte) => Uint8Array.of(byte))
const join = (...parts: ReadonlyArray<Uint8Array>) => Uint8Array.from(parts.flatMap((part) => [...part]))

/** The input in one piece, byte by byte, and cut in two at every place. */
const everyWay = (data: Uint8Array, check: (lines: ReadonlyArray<Line>) => void, maxBytes?: number) => {
  check(read([data], maxBytes))
  check(read(eachByte(data), maxBytes))
  for (let i = 1; i < data.length; i++) check(read([data.subarray(0, i), data.subarray(i)], maxBytes))
}

describe("LineReader", () => {
  it("STDIO-1, cases 13 and 14: newlines, CRLF, empty and blank lines", () =>
    everyWay(
      bytes("one\n\r\n\n  \t\ntwo\r\n \nthree\n"),
      (lines) => assert.deepStrictEqual(lines.map((line) => String(line).trim()), ["one", "two", "three"])
    ))

  it("STDIO-1: only \\n ends a line", () =>
    everyWay(
      bytes("a\u2028b\u2029c\u0085d\ve\ff\n"),
      (lines) => assert.deepStrictEqual(lines, ["a\u2028b\u2029c\u0085d\ve\ff"])
    ))

  it("the last line needs no newline", () =>
    everyWay(bytes("one\ntwo"), (lines) => assert.deepStrictEqual(lines, ["one", "two"])))

  it("case 10: characters of two, three and four bytes, however they are cut", () =>
    everyWay(bytes("é€😀\nß😀😀\n"), (lines) => assert.deepStrictEqual(lines, ["é€😀", "ß😀😀"])))

  it("a byte order mark at the start is no part of the first line, and anywhere else it is kept", () =>
    everyWay(bytes("\ufeffone\n\ufefftwo\n"), (lines) => assert.deepStrictEqual(lines, ["one", "\ufefftwo"])))

  it("case 11: a line that is no UTF-8 is one line, and the others are not lost", () =>
    everyWay(
      join(bytes("one\n"), Uint8Array.of(0xff, 0xfe, 10), bytes("two\n"), Uint8Array.of(0xe2, 0x82, 10)),
      (lines) =>
        assert.deepStrictEqual(lines.map((line) => typeof line === "string" ? line : line._tag), [
          "one",
          "NotUtf8",
          "two",
          "NotUtf8"
        ])
    ))

  it.prop("cuts of any kind give the same lines", [
    Schema.Array(Schema.String),
    Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9 })))
  ], ([texts, sizes]) => {
    const lines = texts.map((text) => `"${text.replaceAll("\n", " ")}"`)
    const data = bytes(lines.map((line) => line + "\n").join(""))
    const chunks: Array<Uint8Array> = []
    for (let start = 0, i = 0; start < data.length; i++) {
      const size = sizes.length === 0 ? data.length : sizes[i % sizes.length]!
      chunks.push(data.subarray(start, start + size))
      start += size
    }
    assert.deepStrictEqual(read(chunks, 10_000), lines.map((line) => new TextDecoder().decode(bytes(line))))
  })
})

describe("LineReader, B2: a line that is too long", () => {
  const max = 64
  const long = "x".repeat(120)
  const tooLong = (lines: ReadonlyArray<Line>) =>
    lines.map((line) => typeof line === "string" ? line : line._tag === "TooLong" ? { id: line.id } : line)

  it("is told once, and the lines around it are read", () =>
    everyWay(
      bytes(`one\n${long}\ntwo\n`),
      (lines) => assert.deepStrictEqual(tooLong(lines), ["one", { id: undefined }, "two"]),
      max
    ))

  it("may have exactly the limit, and not a byte more", () => {
    everyWay(bytes(`${"x".repeat(max)}\n`), (lines) => assert.strictEqual(typeof lines[0], "string"), max)
    everyWay(bytes(`${"x".repeat(max + 1)}\n`), (lines) => assert.strictEqual(typeof lines[0], "object"), max)
    everyWay(bytes(`${"é".repeat(max / 2)}\n`), (lines) => assert.strictEqual(typeof lines[0], "string"), max)
  })

  it.each([
    [`{"jsonrpc":"2.0","id":7,"method":"m","params":{"x":"${long}"}}`, 7],
    [`{"id":"a\\"b","jsonrpc":"2.0","method":"m","params":{"x":"${long}"}}`, "a\"b"],
    [`{"method":"m","params":{"x":"${long}"},"jsonrpc":"2.0","id":-3}`, -3],
    [`{"method":"m","params":{"x":"${long}"},"id":"","jsonrpc":"2.0"}\r`, ""],
    // Not the id of the message: of something in its parameters, of a fraction, none at all.
    [`{"method":"m","params":{"x":"${long}","id":5},"jsonrpc":"2.0"}`, undefined],
    [`{"method":"m","params":{"x":"${long}","id":5}}`, undefined],
    [`{"method":"m","params":{"x":"${long},\\"id\\":5}"}}`, undefined],
    [`{"method":"m","params":{"x":"${long}"},"id":1.5}`, undefined],
    [`{"method":"m","params":{"x":"${long}"},"id":9007199254740993}`, undefined],
    [`{"method":"m","params":{"x":"${long}"},"id":null}`, undefined]
  ])(
    "RPC-5: its id is read where it can be: %#",
    (text, id) => everyWay(bytes(text + "\n"), (lines) => assert.deepStrictEqual(tooLong(lines), [{ id }]), max)
  )

  it("is told when it has no end", () => {
    const reader = new LineReader(max)
    for (let i = 0; i < 10; i++) reader.push(bytes(`{"method":"m","params":"${long}`))
    assert.strictEqual(typeof reader.next(), "object")
    assert.strictEqual(reader.next(), undefined)
    reader.push(bytes("\nnext\n"))
    assert.strictEqual(reader.next(), "next")
  })
})
