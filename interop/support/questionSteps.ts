/** The steps in which the server asks: what it got, and what the client was shown. */
import * as Effect from "effect/Effect"
import * as contract from "../fixtures/contract.ts"
import { theModel } from "../fixtures/questions.ts"
import type { Json, Peer, Refusal } from "./peer.ts"
import { call, result, type Step, text, use } from "./step.ts"

const asks = "somebody"

const shows = true

const forms = "2025-06-18"

const texts = ({ content, contents, messages }: Json): ReadonlyArray<Json> =>
  (content ?? contents ?? (messages as ReadonlyArray<Json>).map(({ content }) => content)) as ReadonlyArray<Json>

/** What the server makes of the answers, and what was asked. */
const asked = (request: Effect.Effect<Json, Refusal, Peer>) =>
  Effect.gen(function*() {
    const { asked } = yield* use(Effect.succeed)
    asked()
    const got = yield* Effect.match(request, {
      onFailure: ({ code, data }) => data === undefined ? { code } : { code, data },
      onSuccess: (result) =>
        result.isError === true ? { isError: true } : JSON.parse(String(texts(result)[0]?.text)) as unknown
    })
    return { got, shown: asked().map(named) }
  })

/** The one id there is has a step of its own. */
const named = (question: Json): Json => {
  if (question.visit === undefined) return question
  const { elicitationId: _, ...visit } = question.visit as Json
  return { visit }
}

const ask = (name: string, message: string) => asked(call(name, { message }))

const drink = (message: string) => ({ form: { ...contract.form, message } })

const model = (text: string) => ({ model: theModel(text) })

const roots = { roots: {} }

const folders = { roots: contract.roots }

const onceMore = { action: "accept", content: { cups: contract.entered.cups } }

const { form: { message }, overlooked, unwanted, visit } = contract

/** The titles of the steps that do not give the same everywhere. */
export const titles = {
  fillsIn: "fills in a form with every kind of field, and the defaults (MRTR-1, MRTR-6, ELI-3..8, ELI-10..12)",
  declines: "answers a form with decline (ELI-11, ELI-25)",
  cancels: "answers a form with cancel (ELI-11, ELI-25)",
  refuses: "lets nobody ask its model what the person does not want (ERR-13, SAMP-13, MRTR-13)",
  isTold: "is told that what it was asked to visit for is done (ELI-15, ELI-17)",
  atOnce: "answers a form, its model and its roots at once (MRTR-4, MRTR-6)",
  inTurn: "answers question after question, each with what came before (MRTR-6, MRTR-8, MRTR-18)"
}

/** What the steps with a form give when it is this one, with these values in it. */
export const withForm = (drink: (message: string) => Json, content: Json) => {
  const accepted = { action: "accept", content }
  return {
    [titles.fillsIn]: { got: accepted, shown: [drink(message)] },
    [titles.declines]: { got: { action: "decline" }, shown: [drink(unwanted)] },
    [titles.cancels]: { got: { action: "cancel" }, shown: [drink(overlooked)] },
    [titles.atOnce]: {
      got: { person: accepted, words: contract.sampled, folders },
      shown: [drink(message), model(contract.mixed), roots]
    },
    [titles.inTurn]: {
      got: { first: accepted, words: contract.sampled, second: onceMore },
      shown: [drink(message), model(contract.greet(accepted)), { form: contract.more }]
    }
  }
}

/** What they give with the form as it was asked for. */
export const usual = withForm(drink, contract.filledIn)

export const questionSteps: ReadonlyArray<Step> = [
  {
    title: titles.fillsIn,
    asks,
    shows,
    from: forms,
    run: ask("askForm", message),
    expected: usual[titles.fillsIn]
  },
  {
    title: titles.declines,
    asks,
    shows,
    from: forms,
    run: ask("askForm", unwanted),
    expected: usual[titles.declines]
  },
  {
    title: titles.cancels,
    asks,
    shows,
    from: forms,
    run: ask("askForm", overlooked),
    expected: usual[titles.cancels]
  },
  ...[[visit.message, "accept"], [unwanted, "decline"], [overlooked, "cancel"]].map(([message, action]): Step => ({
    title: `is asked to visit an address: ${action} (ELI-11, ELI-15, ELI-16)`,
    asks,
    shows,
    from: "2025-11-25",
    run: ask("askVisit", String(message)),
    expected: { got: { action }, shown: [{ visit: { ...visit, message } }] }
  })),
  {
    title: titles.isTold,
    asks,
    from: "2025-11-25",
    until: "2025-11-25",
    run: use((peer) =>
      Effect.gen(function*() {
        peer.asked()
        peer.heard()
        yield* peer.call("askVisit", { message: visit.message })
        const ids = peer.asked().map(({ visit }) => (visit as Json).elicitationId)
        for (let tries = 0; tries < 100; tries++) {
          const heard = peer.heard()
          if (heard.length > 0) return { ids, heard }
          yield* Effect.sleep(10)
        }
        return { ids, heard: [] }
      })
    ),
    expected: {
      ids: [contract.elicitationId],
      heard: [{
        method: "notifications/elicitation/complete",
        params: { elicitationId: contract.elicitationId }
      }]
    }
  },
  {
    title: "has its model answer (SAMP-2..3, SAMP-5)",
    asks,
    shows,
    run: ask("askModel", contract.mixed),
    expected: { got: contract.sampled, shown: [model(contract.mixed)] }
  },
  {
    title: titles.refuses,
    asks,
    shows,
    run: ask("askModel", unwanted),
    expected: { got: { code: -1 }, shown: [model(unwanted)] }
  },
  {
    title: "has its model use a tool, and go on with what that gave (SAMP-6..10)",
    asks,
    shows,
    from: "2025-11-25",
    run: ask("askWithTools", ""),
    expected: {
      got: { first: contract.toolUse, second: contract.sampled },
      shown: [{ model: contract.samplingWithTools }, { model: contract.samplingWithResult }]
    }
  },
  {
    title: "names its roots (ROOT-2)",
    asks,
    shows,
    run: ask("askRoots", ""),
    expected: { got: folders, shown: [roots] }
  },
  {
    title: titles.atOnce,
    asks,
    shows,
    from: forms,
    run: ask("askAll", message),
    expected: usual[titles.atOnce]
  },
  {
    title: titles.inTurn,
    asks,
    shows,
    from: forms,
    run: ask("askTwice", message),
    expected: usual[titles.inTurn]
  },
  {
    title: "has declined, and is asked more (ELI-25, MRTR-8)",
    asks,
    from: forms,
    run: ask("askTwice", unwanted),
    expected: {
      got: { first: { action: "decline" }, words: contract.sampled, second: onceMore },
      shown: [drink(unwanted), model(contract.greet({})), { form: contract.more }]
    }
  },
  {
    title: "is asked by a prompt (MRTR-2)",
    asks,
    from: forms,
    run: asked(use((peer) => peer.get(contract.asking.name))),
    expected: usual[titles.fillsIn]
  },
  {
    title: "is asked by a resource (MRTR-2)",
    asks,
    run: asked(use((peer) => peer.read(contract.notes.asking.uri))),
    expected: { got: folders, shown: [roots] }
  },
  {
    title: "comes back with nothing but the state, as it was (MRTR-7, MRTR-8)",
    asks,
    from: contract.revision,
    server: "official",
    run: result(call("askNothing")),
    expected: text(contract.mixed)
  },
  {
    title: "has forgotten the id, the state and the answers of a round before the last (MRTR-9..11)",
    asks,
    from: contract.revision,
    server: "official",
    run: asked(call("askLess")),
    expected: { got: { keys: ["second"], state: null }, shown: [roots, roots] }
  },
  ...([["askForm", "2025-03-26"], ["askVisit", "2025-06-18"], ["askWithTools", "2025-06-18"]] as const)
    .map(([name, until]): Step => ({
      title: `is not asked what there is none of, whatever it declares: ${name} (ELI-2, ELI-3, SAMP-7)`,
      asks,
      shows,
      until,
      server: "ours",
      run: ask(name, message),
      expected: { got: { isError: true }, shown: [] }
    })),
  ...([
    ["askForm", { elicitation: { form: {} } }],
    ["askVisit", { elicitation: { url: {} } }],
    ["askModel", { sampling: {} }],
    ["askWithTools", { sampling: { tools: {} } }],
    ["askRoots", { roots: {} }]
  ] as const).map(([name, requiredCapabilities]): Step => ({
    title: `is not asked what it has not declared: ${name} (MRTR-5, ELI-2, SAMP-7, ROOT-5)`,
    asks: "nobody",
    shows,
    run: ask(name, message),
    expected: { got: { code: -32021, data: { requiredCapabilities } }, shown: [] }
  }))
]
