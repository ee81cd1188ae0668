/** The code blocks of our documents. CONTRIBUTING.md tells authors what the words after the fence mean. */

/** A fenced block: the language, the other words of its info string, its text, and the line of its fence. */
export interface Block {
  readonly language: string
  readonly words: ReadonlyArray<string>
  readonly text: string
  readonly line: number
}

/** A block of TypeScript that a reader could copy. */
export interface Snippet {
  /** The file it becomes, `snippet-3.ts` unless the fence says `file=name.ts`. */
  readonly file: string
  readonly text: string
  readonly line: number
  readonly run: boolean
  /** Whether the reader is promised that it is short. */
  readonly short: boolean
  /** What it reads on standard input: the `input` block after it. */
  readonly input: string
  /** What it must print: the `output` block after it. */
  readonly output: string | undefined
}

/** All fenced blocks of a document, in order. */
export const blocksOf = (markdown: string): ReadonlyArray<Block> =>
  [...markdown.matchAll(/^(`{3,})([^\n`]*)\n([\s\S]*?)^\1[ \t]*$/gm)].map((match) => {
    const [language = "", ...words] = match[2]!.trim().split(/\s+/)
    return { language, words, text: match[3]!, line: markdown.slice(0, match.index).split("\n").length }
  })

/** The doc comments of a source file as one Markdown document with the same line numbers. */
export const docComments = (source: string): string => {
  let inside = false
  return source.split("\n").map((line) => {
    if (/^\s*\/\*\*/.test(line)) inside = true
    const text = inside ? line.replace(/^\s*(\/\*\*|\*(?!\/)) ?/, "") : ""
    if (line.includes("*/")) inside = false
    return text
  }).join("\n")
}

/** The TypeScript of a document, each with the input and output that follow it before the next TypeScript. */
export const snippetsOf = (markdown: string): ReadonlyArray<Snippet> => {
  const blocks = blocksOf(markdown)
  const starts = blocks.flatMap((block, index) => block.language === "ts" ? [index] : [])
  return starts.map((start, index) => {
    const { line, text, words } = blocks[start]!
    const following = blocks.slice(start + 1, starts[index + 1])
    const titled = (title: string) => following.find((block) => block.words.includes(title))?.text
    const name = words.find((word) => word.startsWith("file="))?.slice("file=".length)
    return {
      file: name ?? `snippet-${index + 1}.ts`,
      text,
      line,
      run: words.includes("run"),
      short: words.includes("short"),
      input: titled("input") ?? "",
      output: titled("output")
    }
  })
}

/** Words after `ts` that mean nothing, so that a misspelt `run` cannot silently switch a check off. */
export const unknownWords = (markdown: string): ReadonlyArray<string> =>
  blocksOf(markdown).filter((block) => block.language === "ts")
    .flatMap((block) => block.words)
    .filter((word) => word !== "run" && word !== "short" && !/^file=[\w-]+\.ts$/.test(word))
