/** What is still held, after everything else was collected. */
import * as Effect from "effect/Effect"
import * as v8 from "node:v8"
import * as vm from "node:vm"

v8.setFlagsFromString("--expose-gc")
const collect: () => void = vm.runInNewContext("gc")

/** A reference that was just made or read is held until the end of the job, so this waits for the next one first. */
export const held = (references: ReadonlyArray<WeakRef<object>>): Effect.Effect<number> =>
  Effect.callback<void>((resume) => {
    setImmediate(() => resume(Effect.void))
  }).pipe(
    Effect.andThen(Effect.sync(() => {
      collect()
      return references.filter((reference) => reference.deref() !== undefined).length
    }))
  )
