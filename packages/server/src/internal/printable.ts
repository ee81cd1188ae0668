/**
 * A value that JSON can hold, from any value a program may log.
 */

const replacer = (_key: string, value: unknown): unknown =>
  typeof value === "bigint"
    ? value.toString()
    : value instanceof Error
    ? { name: value.name, message: value.message }
    : value

/** Cycles and the like have no JSON; their text stands for them. */
export const printable = (value: unknown): unknown => {
  if (typeof value === "string") return value
  try {
    const text: string | undefined = JSON.stringify(value, replacer)
    return text === undefined ? String(value) : JSON.parse(text)
  } catch {
    return String(value)
  }
}
