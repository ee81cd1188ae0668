/** The hotel, as far as it is needed: it holds a room for a while, and then keeps it for good or lets it go. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { SoldOut } from "./contract.ts"

export type Room = keyof typeof rooms

const rooms = {
  single: { count: 4, euros: 80 },
  double: { count: 2, euros: 120 },
  suite: { count: 1, euros: 300 }
}

export interface Stay {
  readonly room: Room
  readonly arrival: string
  readonly nights: number
}

export const Hold = Schema.Struct({ number: Schema.String, departure: Schema.String, euros: Schema.Int })

interface Entry extends Stay {
  readonly hold: typeof Hold.Type
  /** When it lapses; never, once it is confirmed. */
  until: number
}

export class Hotel extends Context.Service<Hotel, {
  /** Holds a room for a quarter of an hour. Whoever comes with the same key again gets the same hold. */
  readonly hold: (stay: Stay, key: string) => Effect.Effect<typeof Hold.Type, SoldOut>
  /** Books what is held for a stay. That it is booked already is no error; that the hold has lapsed is. */
  readonly confirm: (stay: Stay, number: string) => Effect.Effect<void, SoldOut>
  readonly release: (number: string) => Effect.Effect<void>
}>()("examples/booking/Hotel") {
  static readonly layer = Layer.sync(Hotel, () => make())
}

const quarterOfAnHour = 15 * 60 * 1_000

const make = () => {
  const entries = new Map<string, Entry>()
  let number = 1_000

  const current = Effect.map(Clock.currentTimeMillis, (now) => {
    for (const [key, { until }] of entries) if (until <= now) entries.delete(key)
    return now
  })

  return Hotel.of({
    hold: Effect.fnUntraced(function*({ arrival, nights, room }, key) {
      const now = yield* current
      const held = entries.get(key)
      if (held !== undefined) return held.hold
      const { count, euros } = rooms[room]
      for (let night = 0; night < nights; night++) {
        const day = addDays(arrival, night)
        if ([...entries.values()].filter((entry) => entry.room === room && includes(entry, day)).length >= count) {
          return yield* new SoldOut({ room, night: day })
        }
      }
      const hold = { number: `R-${++number}`, departure: addDays(arrival, nights), euros: euros * nights }
      entries.set(key, { room, arrival, nights, hold, until: now + quarterOfAnHour })
      return hold
    }),
    confirm: Effect.fnUntraced(function*({ arrival, room }, number) {
      yield* current
      const entry = [...entries.values()].find(({ hold }) => hold.number === number)
      if (entry === undefined) return yield* new SoldOut({ room, night: arrival })
      entry.until = Infinity
    }),
    release: (number) =>
      Effect.sync(() => {
        for (const [key, { hold }] of entries) if (hold.number === number) entries.delete(key)
      })
  })
}

const includes = ({ arrival, hold }: Entry, day: string) => arrival <= day && day < hold.departure

const addDays = (day: string, days: number): string =>
  DateTime.formatIsoDateUtc(DateTime.add(DateTime.makeUnsafe(day), { days }))
