/**
 * What all messages have in common, by revision, and the tables of the features in one.
 */
import type { JsonObject } from "../../JsonRpc.ts"
import { key } from "../../Meta.ts"
import * as Method from "../../Method.ts"
import { completion } from "./completion.ts"
import { elicitation } from "./elicitation.ts"
import { lifecycle } from "./lifecycle.ts"
import { progress } from "./progress.ts"
import { prompts } from "./prompts.ts"
import { resources } from "./resources.ts"
import { roots } from "./roots.ts"
import { sampling } from "./sampling.ts"
import { always, type Feature, type Members, object, type ObjectShape, since, upTo } from "./shape.ts"
import { tools } from "./tools.ts"

const rows: ReadonlyMap<string, Feature[string]> = new Map(Object.entries({
  ...lifecycle,
  ...tools,
  ...resources,
  ...prompts,
  ...completion,
  ...progress,
  ...elicitation,
  ...sampling,
  ...roots
}))

/** The keys that make a message one of the modern era, or say what an older one says elsewhere (ERA-6, META-9, META-14). */
const modernKeys: ReadonlyArray<string> = [
  key.protocolVersion,
  key.clientCapabilities,
  key.clientInfo,
  key.serverInfo,
  key.logLevel,
  key.subscriptionId
]

const withoutModernKeys = (meta: JsonObject): JsonObject | undefined => {
  if (!modernKeys.some((key) => meta[key] !== undefined)) return meta
  const rest = Object.entries(meta).filter(([key]) => !modernKeys.includes(key))
  return rest.length === 0 ? undefined : Object.fromEntries(rest)
}

const _meta = always(object({}, upTo("2025-11-25", withoutModernKeys)))

const modern = since("2026-07-28")

const anyParams: Members = { _meta }
const anyResult: Members = { _meta, resultType: modern }
const retry: Members = { inputResponses: modern, requestState: modern }
const inputRequired: Members = { inputRequests: modern, requestState: modern }
const cacheHints: Members = { ttlMs: modern, cacheScope: modern }

/** What holds for the params of every method, an extension's too. */
export const params: ObjectShape = object(anyParams)

/** What holds for the result of every method, an extension's too. */
export const result: ObjectShape = object(anyResult)

/** The params of a method of the protocol. */
export const paramsOf = (method: string): ObjectShape | undefined => {
  const request = Method.core.requests.get(method)
  if (request === undefined && !Method.core.notifications.has(method)) return undefined
  const own = rows.get(method)?.params
  return object({
    ...anyParams,
    ...(request?.multiRound === true ? retry : undefined),
    ...own?.members
  }, ...own?.rewrites ?? [])
}

/** The result of a method of the protocol. */
export const resultOf = (method: string): ObjectShape | undefined => {
  const request = Method.core.requests.get(method)
  if (request === undefined) return undefined
  const own = rows.get(method)?.result
  return object({
    ...anyResult,
    ...(request.cacheable ? cacheHints : undefined),
    ...(request.multiRound ? inputRequired : undefined),
    ...own?.members
  }, ...own?.rewrites ?? [])
}
