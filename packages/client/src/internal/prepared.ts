/**
 * What is worked out once per method definition and not per request.
 */
import * as Method from "@effect-mcp/core/Method"
import { decodeOpen } from "@effect-mcp/core/schema/Common"
import type * as Result from "effect/Result"
import type * as Schema from "effect/Schema"

export interface Prepared<R = unknown> {
  readonly definition: Method.RequestDefinition<string, unknown, R>
  readonly decodeResult: (input: unknown) => Result.Result<R, Schema.SchemaError>
  readonly decodeParams: (input: unknown) => Result.Result<unknown, Schema.SchemaError>
  /** Whether the progress token is always sent: the methods that run code of an author, which are those of MRTR-2. */
  readonly reports: boolean
}

const cache = new WeakMap<Method.RequestDefinition, Prepared>()

export const prepare = <P, R>(definition: Method.RequestDefinition<string, P, R>): Prepared<R> => {
  const known = cache.get(definition)
  // A definition always has the entry that was made from it.
  if (known !== undefined) return known as Prepared<R>
  const prepared: Prepared<R> = {
    definition,
    decodeResult: decodeOpen(wire(definition.result)),
    decodeParams: decodeOpen<unknown>(wire(definition.params)),
    reports: definition.multiRound
  }
  cache.set(definition, prepared)
  return prepared
}

// `Method.defineRequest` takes schemas of this kind only; the table forgets it so that all definitions fit into it.
const wire = <A>(schema: Schema.Schema<A>): Schema.Codec<A> => schema as Schema.Codec<A>

const notifications = new WeakMap<Method.NotificationDefinition, Prepared["decodeParams"]>()

export const notificationParams = (definition: Method.NotificationDefinition): Prepared["decodeParams"] => {
  const known = notifications.get(definition)
  if (known !== undefined) return known
  const decode = decodeOpen<unknown>(wire(definition.params))
  notifications.set(definition, decode)
  return decode
}

export const core = {
  discover: prepare(Method.discover),
  initialize: prepare(Method.initialize),
  ping: prepare(Method.ping),
  setLevel: prepare(Method.setLevel),
  toolsList: prepare(Method.toolsList),
  toolsCall: prepare(Method.toolsCall),
  resourcesList: prepare(Method.resourcesList),
  resourceTemplatesList: prepare(Method.resourceTemplatesList),
  resourcesRead: prepare(Method.resourcesRead),
  promptsList: prepare(Method.promptsList),
  promptsGet: prepare(Method.promptsGet),
  complete: prepare(Method.complete)
}
