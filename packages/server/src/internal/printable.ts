/**
 * A value that JSON can hold, from any value a program may log.
 */
import * as Formatter from "effect/Formatter"

const replacer = (_key: string, value: unknown): unknown =>
  typeof value === "bigint"
    ? value.toString()
    : value instanceof Error
    ? { name: value.name, message: value.message }
    : value

/** What has no JSON, a cycle for instance, is shown as Effect shows it: a log never breaks what it tells of. */
export const printable = (value: unknown): unknown => {
  if (typeof value === "string") return value
  try {
    const text: string | undefined = JSON.stringify(value, replacer)
    return text === undefined ? Formatter.format(value) : JSON.parse(text)
  } catch {
    return Formatter.format(value)
  }
}
