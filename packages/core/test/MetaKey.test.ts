import * as MetaKey from "@effect-mcp/core/MetaKey"
import { assert, describe, it } from "@effect/vitest"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

describe("MetaKey", () => {
  for (
    const key of [
      "a",
      "",
      "progressToken",
      "a-b_c.d",
      "1",
      "com.example/",
      "com.example/x",
      "a/x",
      "a-1.b2/1-2",
      "io.modelcontextprotocol/clientInfo"
    ]
  ) {
    it(`META-1 META-2: ${JSON.stringify(key)} is valid`, () => {
      assert.isTrue(MetaKey.isValid(key))
    })
  }

  for (
    const key of [
      "-a",
      "a-",
      ".a",
      "a.",
      "_a",
      "a b",
      "ä",
      "/",
      "/a",
      "a//b",
      "a/b/c",
      ".a/b",
      "a./b",
      "a..b/c",
      "1a.b/c",
      "-a/b",
      "a-/b",
      "a_b/c",
      "a/ b",
      "a/b\n"
    ]
  ) {
    it(`META-1 META-2: ${JSON.stringify(key)} is not valid`, () => {
      assert.isFalse(MetaKey.isValid(key))
      assert.isFalse(MetaKey.isReserved(key))
      assert.isFalse(MetaKey.isExtensionId(key))
    })
  }

  it.prop("META-1 META-2: the hand-written scan agrees with the grammar", [
    Schema.String.check(Schema.isPattern(/^[A-z0-9./-]*$/))
  ], ([key]) => {
    const label = "[A-Za-z]([A-Za-z0-9-]*[A-Za-z0-9])?"
    const grammar = new RegExp(`^(${label}(\\.${label})*/)?([A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?)?$`)
    assert.strictEqual(MetaKey.isValid(key), grammar.test(key))
  })

  it("parse gives the labels and the name", () => {
    assert.deepStrictEqual(MetaKey.parse("com.example/a.b"), Option.some({ labels: ["com", "example"], name: "a.b" }))
    assert.deepStrictEqual(MetaKey.parse("a.b"), Option.some({ labels: [], name: "a.b" }))
  })

  const second = ["io.modelcontextprotocol/x", "dev.mcp/x", "com.mcp.tools/", "IO.ModelContextProtocol/x"]
  const nextToLast = ["modelcontextprotocol.io/x", "tools.mcp.com/x", "mcp.dev/", "api.modelcontextprotocol.org/x"]
  const free = ["com.example.mcp/x", "mcp/x", "modelcontextprotocol", "com.mcps/x", "com.example/mcp", "mcp.a.b/x"]

  it("META-4: the second label reserves a prefix", () => {
    for (const key of second) assert.isTrue(MetaKey.isReserved(key), key)
    for (const key of [...free, "modelcontextprotocol.io/x", "mcp.dev/"]) assert.isFalse(MetaKey.isReserved(key), key)
  })

  it("META-5: the label before the last one reserved a prefix in 2025-06-18", () => {
    for (const key of nextToLast) assert.isTrue(MetaKey.isReserved(key, "NextToLastLabel"), key)
    for (const key of [...free, "dev.mcp/x", "io.modelcontextprotocol/x"]) {
      assert.isFalse(MetaKey.isReserved(key, "NextToLastLabel"), key)
    }
  })

  it("EXT-2: an extension identifier has a prefix and a name", () => {
    for (const id of ["io.modelcontextprotocol/tasks", "com.example/my-ext.v2", "a/b"]) {
      assert.isTrue(MetaKey.isExtensionId(id), id)
    }
    for (const id of ["tasks", "", "com.example/", "com.example"]) assert.isFalse(MetaKey.isExtensionId(id), id)
  })

  it("B4: a key of 1 MB is judged, which anything but linear time would not live to see", () => {
    const size = 1_000_000
    const keys = ["a".repeat(size), "a-".repeat(size / 2), "a.".repeat(size / 2) + "/", "a/".repeat(size / 2)]
    assert.deepStrictEqual(keys.map(MetaKey.isValid), [true, false, false, false])
  })
})
