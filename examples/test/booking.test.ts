/** The booking example: a server that asks, in a process of its own, and a client that asks a person. */
import * as Handlers from "@effect-mcp/client/Handlers"
import * as McpClient from "@effect-mcp/client/McpClient"
import * as McpError from "@effect-mcp/core/McpError"
import type { Revision } from "@effect-mcp/core/Revision"
import * as Refusal from "@effect-mcp/core/Refusal"
import * as McpHttp from "@effect-mcp/transport-http/McpHttp"
import * as McpStdio from "@effect-mcp/transport-stdio/McpStdio"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import { spawn } from "node:child_process"
import * as path from "node:path"
import { kill, printed, start } from "../../scripts/lib/processes.ts"
import { root } from "../../scripts/lib/workspace.ts"
import { Book, SoldOut } from "../booking/contract.ts"

const program = (file: string) => path.join(root, "examples/booking", file)

const revisions = ["2025-06-18", "2025-11-25", "2026-07-28"] as const

const stay = {
  guest: "Ada",
  email: "ada@example.org",
  arrival: "2030-05-06",
  nights: 2,
  room: "double",
  breakfast: true,
  wishes: "a quiet room"
}

/** The hotel in a process of its own, for a client of one revision. */
const Hotel = <const O extends McpClient.Options>(revision: Revision, handlers: O) =>
  McpClient.layer({ name: "test", version: "1.0.0" }, { ...handlers, revisions: [revision] }).pipe(
    Layer.provide(McpStdio.layerClient({ command: process.execPath, args: [program("stdio.ts")] })),
    Layer.provide(NodeServices.layer)
  )

const book = Effect.gen(function*() {
  const client = yield* McpClient.McpClient
  return yield* client.call(Book, {})
})

interface Guest {
  /** Answers the second form. */
  readonly confirm?: () => Handlers.FormAnswer
  readonly stay?: Handlers.FormValues
  readonly asked?: Array<string>
}

/** Somebody who answers without being asked twice. */
const guest = ({ asked = [], confirm = () => Handlers.accept({}), stay: values = stay }: Guest = {}) => ({
  elicitation: {
    form: ({ message, requestedSchema }) =>
      Effect.sync(() => {
        asked.push(message)
        return "guest" in requestedSchema.properties ? Handlers.accept(values) : withPay(confirm())
      }),
    url: ({ message, url }) =>
      Effect.sync(() => {
        asked.push(`${message}: ${url}`)
        return { action: "accept" as const }
      })
  }
} satisfies Handlers.Handlers)

const withPay = (answer: Handlers.FormAnswer): Handlers.FormAnswer =>
  answer.action === "accept" ? Handlers.accept({ pay: "at the desk", ...answer.content }) : answer

const model = {
  sampling: {
    createMessage: ({ messages }) =>
      Effect.succeed({ role: "assistant", content: [messages[0]!.content].flat()[0]!, model: "echo" })
  }
} satisfies Handlers.Handlers

const everybody = (asked: Array<string>, folder: string) => ({
  ...guest({ asked }),
  ...model,
  roots: [{ uri: folder }]
})

const booked = {
  number: "R-1001",
  room: "double",
  arrival: "2030-05-06",
  departure: "2030-05-08",
  euros: 240,
  note: "Write a note for Ada. Breakfast: yes. Wishes: a quiet room.",
  payment: "at the desk"
}

const summary = "R-1001: a double from 2030-05-06 to 2030-05-08 (2 nights), 240 €. Shall it be booked?"

const expectEverything = Effect.fnUntraced(function*(
  connect: (handlers: ReturnType<typeof everybody>) => Layer.Layer<McpClient.McpClient, unknown>
) {
  const fs = yield* FileSystem.FileSystem
  const { join, toFileUrl } = yield* Path.Path
  const folder = yield* fs.makeTempDirectoryScoped({ prefix: "booking-" })
  const asked: Array<string> = []
  const { href } = yield* toFileUrl(folder)
  const result = yield* Effect.provide(book, connect(everybody(asked, href)))
  assert.deepStrictEqual(result, { ...booked, receipt: join(folder, "R-1001.txt") } as typeof result)
  assert.deepStrictEqual(asked, ["When do you come, and to what room?", summary])
  assert.strictEqual(
    yield* fs.readFileString(join(folder, "R-1001.txt")),
    "Hotel Example\nR-1001: double, 2030-05-06 to 2030-05-08, 240 €\n"
  )
}, Effect.provide(NodeServices.layer))

describe("the hotel over stdio: the same under every revision", () => {
  for (const revision of revisions) {
    it.live(`books, with a form, a model, a folder and a form, under ${revision}`, () =>
      expectEverything((handlers) => Hotel(revision, handlers)))

    it.live(`who declines or looks away does not keep the room, under ${revision}`, () => {
      const answers: Array<Handlers.FormAnswer> = [Handlers.decline, Handlers.cancel, Handlers.accept({})]
      const suite = guest({ stay: { ...stay, room: "suite" }, confirm: () => answers.shift() ?? Handlers.cancel })
      return Effect.gen(function*() {
        const declined = yield* Effect.flip(book)
        assert.instanceOf(declined, Refusal.Declined)
        assert.include(declined.message, "The person declined: R-1001: a suite")
        assert.instanceOf(yield* Effect.flip(book), Refusal.Cancelled)
        assert.strictEqual((yield* book).number, "R-1003")
        // There is one suite.
        assert.deepStrictEqual(yield* Effect.flip(book), new SoldOut({ room: "suite", night: "2030-05-06" }))
      }).pipe(Effect.provide(Hotel(revision, suite)))
    })

    it.live(`who cannot be asked is told before anything is done, under ${revision}`, () =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(book)
        assert.include(error.message, "The client has not declared elicitation")
        // An older revision has no code for it, so that the model is told.
        assert.strictEqual(error._tag, revision === "2026-07-28" ? "MissingClientCapability" : "ToolFailure")
      }).pipe(Effect.provide(Hotel(revision, model))))

    it.live(`who has no model and no folder does without, and is sent to an address to pay, under ${revision}`, () => {
      const asked: Array<string> = []
      return Effect.gen(function*() {
        const { note, payment, receipt } = yield* book
        assert.strictEqual(note, "Wishes: a quiet room.")
        assert.isUndefined(receipt)
        // ELI-13. There are no addresses in 2025-06-18.
        const isOld = revision === "2025-06-18"
        assert.strictEqual(payment, isOld ? "at the desk" : "online")
        assert.deepStrictEqual(asked.slice(2), isOld ? [] : ["Pay for your room: https://pay.hotel.example/R-1001"])
      }).pipe(Effect.provide(Hotel(revision, guest({ asked, confirm: () => Handlers.accept({ pay: "online" }) }))))
    })

    it.live(`SAMP-13, MRTR-13: who refuses the model gives up the booking, under ${revision}`, () => {
      const refused = new McpError.UserRejected({ message: "No" })
      const handlers = { ...guest(), sampling: { createMessage: () => Effect.fail(refused) } }
      return Effect.gen(function*() {
        const error = yield* Effect.flip(book)
        const cause = error._tag === "McpClientError" && error.reason._tag === "InputNotGiven"
          ? error.reason.cause
          : error
        assert.strictEqual(cause?.message, "No")
        assert.strictEqual(error._tag, revision === "2026-07-28" ? "McpClientError" : "UserRejected")
      }).pipe(Effect.provide(Hotel(revision, handlers)))
    })
  }
})

describe("the hotel over HTTP", () => {
  for (const revision of ["2025-11-25", "2026-07-28"] as const) {
    it.live(`books, under ${revision}`, () =>
      Effect.gen(function*() {
        const log = `.tmp/booking-${revision}.log`
        const server = yield* Effect.acquireRelease(
          Effect.sync(() => start([process.execPath, program("http.ts"), "0"], { log })),
          (server) => Effect.sync(() => kill(server))
        )
        const url = yield* Effect.promise(() => printed(server, log, / at (http:\S+)\n/, 14_000))
        yield* expectEverything((handlers) =>
          McpClient.layer({ name: "test", version: "1.0.0" }, { ...handlers, revisions: [revision] }).pipe(
            Layer.provide(McpHttp.layerClient({ url })),
            Layer.provide(NodeHttpClient.layerUndici)
          )
        )
      }))
  }
})

/** What to wait for, and what to type then. */
type Script = ReadonlyArray<readonly [shown: string, typed: string]>

/** Runs the client as a person does, and gives back what stands on the screen at the end, without colours. */
const atTheKeyboard = (args: ReadonlyArray<string>, script: Script) =>
  Effect.callback<{ readonly screen: string; readonly code: number | null }>((resume) => {
    const child = spawn(process.execPath, [program("client.ts"), ...args], { stdio: ["pipe", "pipe", "pipe"] })
    const left = [...script]
    let screen = ""
    let seen = 0
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      screen += text
      const [next] = left
      const at = next === undefined ? -1 : screen.indexOf(next[0], seen)
      if (next === undefined || at < 0) return
      seen = at + next[0].length
      left.shift()
      if (next[1] === "") child.stdin.end()
      else child.stdin.write(next[1])
    })
    child.stderr.on("data", (text) => screen += text)
    child.once("close", (code) => resume(Effect.succeed({ screen: withoutColours(screen), code })))
    return Effect.sync(() => child.kill("SIGKILL"))
  })

// oxlint-disable-next-line no-control-regex
const withoutColours = (text: string) => text.replaceAll(/\u001b(\[[0-9;?]*[A-Za-z]|[78])/g, "")

const enter = "\r"
const down = "\u001b[B"

describe("the client at a terminal", () => {
  const details: Script = [
    ["Fill in the form", enter],
    ["Name of the guest", `Ada${enter}`],
    ["E-mail", `nobody${enter}`],
    ["is not in the format email", `\u0015ada@example.org${enter}`],
    ["Day of arrival", `2030-05-06${enter}`]
  ]
  const room: Script = [
    ["Double, 120 €", enter],
    ["Breakfast", enter],
    ["Anything else? (optional)", `quiet${enter}`],
    ["All of this is sent", enter]
  ]

  for (const revision of revisions) {
    it.live(`books a room, under ${revision}`, () =>
      Effect.gen(function*() {
        // ELI-10: a client of 2025-06-18 is told of no defaults but those of yes or no.
        const isOld = revision === "2025-06-18"
        const { code, screen } = yield* atTheKeyboard(["--revision", revision], [
          ...details,
          ["Nights", isOld ? `2${enter}` : enter],
          ...(isOld ? [["Single, 80 €", down] as const] : []),
          ...room,
          ["Ask the model?", "y"],
          ["It says", `!${enter}`],
          ["Send it?", "y"],
          ["Fill in the form", enter],
          ["Note to the hotel", enter],
          ["How do you pay?", enter],
          ["All of this is sent", enter]
        ])
        assert.include(screen, `Connected to Hotel Example, revision ${revision}\n`)
        assert.include(screen, "── Hotel Example asks you:\n   When do you come, and to what room?\n")
        assert.include(
          screen,
          "Booked: R-1001, a double from 2030-05-06 to 2030-05-08 for 240 €, paid at the desk.\n" +
            "The hotel has read: Good afternoon, we look forward to our stay. Please have a look at our wishes. Kind regards!\n"
        )
        assert.strictEqual(code, 0)
      }))
  }

  it.live("declines", () =>
    Effect.gen(function*() {
      const { code, screen } = yield* atTheKeyboard([], [["Fill in", `${down}${enter}`]])
      assert.include(screen, "\nNot booked. The person declined: When do you come, and to what room?\n")
      assert.strictEqual(code, 0)
    }))

  it.live("refuses the model", () =>
    Effect.gen(function*() {
      const { code, screen } = yield* atTheKeyboard([], [
        ...details,
        ["Nights", enter],
        ...room,
        ["Ask the model?", "n"]
      ])
      assert.include(screen, "\nNot booked. The person did not want the model to be asked\n")
      assert.strictEqual(code, 0)
    }))

  it.live("cancels with Ctrl-C, and where the input ends", () =>
    Effect.gen(function*() {
      for (const typed of ["\u0003", ""]) {
        const { code, screen } = yield* atTheKeyboard([], [["Fill in", enter], ["Name of the guest", typed]])
        assert.include(screen, "\nNot booked. The person did not answer: When do you come, and to what room?\n")
        assert.strictEqual(code, 0)
      }
    }))
})
