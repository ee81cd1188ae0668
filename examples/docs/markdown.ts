/** As much of Markdown as the example needs. */
import type { Heading, Match } from "./contract.ts"

/** The headings of a text; a `#` inside a fenced block of code is none. */
export const headings = (markdown: string): ReadonlyArray<typeof Heading.Type> => {
  const found: Array<typeof Heading.Type> = []
  let fence: string | undefined
  for (const [index, line] of markdown.split(/\r?\n/).entries()) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
    const heading = /^ {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$/.exec(line)
    if (fence === undefined) {
      fence = mark
      if (heading !== null) found.push({ level: heading[1]!.length, title: heading[2]!, line: index + 1 })
    } else if (mark?.startsWith(fence) === true) {
      fence = undefined
    }
  }
  return found
}

/** The lines of a file that contain a text. */
export const matches = (path: string, markdown: string, text: string): ReadonlyArray<typeof Match.Type> => {
  const wanted = text.toLowerCase()
  return markdown.split(/\r?\n/).flatMap((line, index) =>
    line.toLowerCase().includes(wanted) ? [{ path, line: index + 1, text: line.trim() }] : []
  )
}
