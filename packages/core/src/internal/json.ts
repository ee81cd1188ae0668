/**
 * The two foreign functions that throw on bad input, as values.
 */
import * as Result from "effect/Result"

export const parse = (text: string): Result.Result<unknown, unknown> => {
  try {
    return Result.succeed(JSON.parse(text))
  } catch (error) {
    return Result.fail(error)
  }
}

/** `undefined` at the root has no JSON text either, and is reported the same way as a cycle or a bigint. */
export const print = (value: unknown): Result.Result<string, unknown> => {
  try {
    const text: string | undefined = JSON.stringify(value)
    return text === undefined ? Result.fail(new TypeError("The value has no JSON form")) : Result.succeed(text)
  } catch (error) {
    return Result.fail(error)
  }
}
