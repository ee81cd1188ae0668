/**
 * Where in a program something was written down.
 */

const here = new URL("..", import.meta.url).pathname

const isOurs = (line: string): boolean =>
  line.includes(here) || line.includes("/node_modules/effect/") || line.includes("(node:")

/** The first line of a trace that is neither of this package nor of what runs it, if there is one. */
export const placeOf = ({ stack = "" }: Error): string | undefined =>
  stack.split("\n").find((line) => line.includes("at ") && !isOurs(line))?.trim()
