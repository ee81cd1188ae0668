/** The receipt, as a file in the folder that the client has named. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"

interface Reservation {
  readonly number: string
  readonly room: string
  readonly arrival: string
  readonly departure: string
  readonly euros: number
}

/** Where it was written. A folder that is gone, or may not be written to, is no reason to lose a reservation (ROOT-5). */
export const write = Effect.fnUntraced(
  function*(folder: string | undefined, { arrival, departure, euros, number, room }: Reservation) {
    if (folder === undefined) return undefined
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const file = path.join(yield* path.fromFileUrl(new URL(folder)), `${number}.txt`)
    yield* fs.writeFileString(file, `Hotel Example\n${number}: ${room}, ${arrival} to ${departure}, ${euros} €\n`)
    return file
  },
  Effect.catch((error) => Effect.as(Effect.logWarning("There is no receipt", error), undefined))
)
