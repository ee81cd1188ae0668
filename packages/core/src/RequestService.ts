/**
 * Services that exist only during a request, such as an authenticated principal.
 *
 * A handler that uses one has a layer that requires {@link Request} of it. No ordinary layer can provide that, only a
 * middleware or a transport that says it does, so a principal can neither be forgotten nor made up at start-up.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"

declare const RequestScoped: unique symbol

/**
 * The mark of a service that exists only during a request.
 *
 * @category models
 * @since 0.1.0
 */
export interface Branded {
  readonly [RequestScoped]: true
}

/**
 * The class of a service that exists only during a request.
 *
 * @category models
 * @since 0.1.0
 */
export interface Class<in out Self, in out Key extends string, in out Shape> extends Context.Service<Self, Shape> {
  new(_: never): Context.ServiceClass.Shape<Key, Shape> & Branded
  readonly key: Key
}

declare const RequestId: unique symbol

/**
 * The requirement of a feature whose handlers need a service of the request.
 *
 * @category models
 * @since 0.1.0
 */
export interface Request<out Service> {
  readonly [RequestId]: Service
}

/**
 * What a feature's layer requires, given what its handlers require: services of the request become {@link Request}.
 *
 * @category models
 * @since 0.1.0
 */
export type Requirements<R> = R extends Branded ? Request<R> : R

/**
 * What a middleware's or a transport's layer provides, given the services it puts into each request.
 *
 * @category models
 * @since 0.1.0
 */
export type Provision<R> = R extends unknown ? Request<R> : never

/**
 * Declares a service that exists only during a request. It is used like every other service.
 *
 * **Example** (A principal)
 *
 * ```ts
 * import * as RequestService from "@effect-mcp/core/RequestService"
 *
 * class Principal extends RequestService.make<Principal, { readonly subject: string }>()("app/Principal") {}
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = <Self, Shape>() =>
<const Key extends string>(
  key: Key
): Class<Self, Key, Shape> =>
  // The mark exists in the type only.
  Context.Service<Self, Shape>()(key) as never
