/** Type tests are files the compiler reads in `npm run check`; here we see that the compiler does look at them. */
import { assert, describe, it } from "@effect/vitest"
import * as path from "node:path"
import { filesUnder, packageNames, read } from "../scripts/lib/workspace.ts"
import { scratch, typeCheck, write, writeTsconfig } from "./support/run.ts"

const directive = /^.*@ts-expect-error.*\n/m

const files = packageNames()
  .flatMap((name) => filesUnder(`packages/${name}/typetest`, (file) => file.endsWith(".ts")))
  .filter((file) => directive.test(read(file)))

const check = (name: string, edit: (text: string) => string): string => {
  const folder = scratch(name)
  for (const file of files) write(path.join(folder, file.replaceAll("/", "-")), edit(read(file)))
  writeTsconfig(folder)
  return typeCheck(folder)
}

describe("type tests", () => {
  it("exist, and some expect an error", () => assert.isNotEmpty(files))

  it("pass as they are", () => assert.strictEqual(check("typetest", (text) => text), ""))

  it("each fail without one of their @ts-expect-error", () => {
    const messages = check("typetest-broken", (text) => text.replace(directive, ""))
    assert.deepStrictEqual(files.filter((file) => !messages.includes(`${file.replaceAll("/", "-")}(`)), [])
  })
})
