/**
 * A list as a stream of its items, page by page, as they are asked for.
 */
import type { RequestError } from "@effect-mcp/core/ClientTransport"
import * as McpClientError from "@effect-mcp/core/McpClientError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { invalid } from "./answer.ts"

/** Walks a list from its first page on. A server that goes round in circles, or never ends, is stopped. */
export const walk = <Page extends { readonly nextCursor?: string | null | undefined }, Item>(
  { maxPages: max }: { readonly maxPages: number },
  method: string,
  fetch: (cursor: string | undefined) => Effect.Effect<Page, RequestError>,
  items: (page: Page) => ReadonlyArray<Item>
): Stream.Stream<Item, RequestError> =>
  Stream.suspend(() => {
    const seen = new Set<string>()
    let pages = 0
    const next = (cursor: string | undefined): Effect.Effect<
      readonly [ReadonlyArray<Item>, Option.Option<string>],
      RequestError
    > => {
      // Looked at here and not where the cursor came, so that the items before it are still given.
      if (cursor !== undefined && seen.has(cursor)) {
        return Effect.fail(invalid(method, "it gives a cursor that it gave before", { nextCursor: cursor }))
      }
      if (cursor !== undefined) seen.add(cursor)
      if (++pages > max) {
        return Effect.fail(McpClientError.make(new McpClientError.LimitExceeded({ limit: "pages", max })))
      }
      // PAGE-3, PAGE-5: absence or null ends a list, the empty string does not.
      return Effect.map(fetch(cursor), (page) => [items(page), Option.fromNullishOr(page.nextCursor)])
    }
    return Stream.paginate<string | undefined, Item, RequestError>(undefined, next)
  })
