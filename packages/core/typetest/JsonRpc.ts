import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import type * as Types from "effect/Types"

export const anIdIsAStringOrANumber: Types.Equals<JsonRpc.Id, string | number> = true

export const aMessageIsOneOfFour: Types.Equals<
  JsonRpc.Message["_tag"],
  "Request" | "Notification" | "Success" | "Failure"
> = true

// @ts-expect-error RPC-2: an id is never null
JsonRpc.request(null, "ping")

// @ts-expect-error RPC-1: params are an object, never a positional array
JsonRpc.notification("notifications/progress", "positional")
