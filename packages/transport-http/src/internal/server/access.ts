/**
 * Who may call: the `Host` and `Origin` of a request, and what a browser is told about it (HTTP-2, SEC-4).
 */

/** Names that are let in, or `"any"`. */
export type Allowed = ReadonlyArray<string> | "any"

/** The options that decide about access. */
export interface AccessOptions {
  readonly allowedHosts?: Allowed | undefined
  readonly allowedOrigins?: Allowed | undefined
  readonly cors?: { readonly allowedOrigins: Allowed } | undefined
}

/** The names by which a machine knows itself. */
const loopback = ["localhost", "127.0.0.1", "[::1]"]

// Both are strict, so that there is nothing to normalise: no user information, no path, no trailing dot is a part of a
// name, and another spelling of an address is another name.
const hostShape = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(\d{1,5}))?$/
const originShape = /^https?:\/\/(.+)$/

const setOf = (allowed: Allowed | undefined): ReadonlySet<string> | "any" | undefined =>
  allowed === undefined || allowed === "any"
    ? allowed
    : new Set(allowed.map((entry) => entry.toLowerCase().replace(/\/$/, "")))

/** Decides about hosts and origins. */
export class Access {
  readonly #hosts: ReadonlySet<string> | "any"
  readonly #origins: ReadonlySet<string> | "any" | undefined
  readonly #cors: ReadonlySet<string> | "any" | undefined

  constructor(options: AccessOptions) {
    this.#hosts = setOf(options.allowedHosts) ?? new Set(loopback)
    this.#origins = setOf(options.allowedOrigins)
    this.#cors = setOf(options.cors?.allowedOrigins)
  }

  /** Whether browsers are served across origins at all. */
  get cors(): boolean {
    return this.#cors !== undefined
  }

  /** Why a request is refused; `undefined` when it may pass. */
  refusal(host: string | undefined, origin: string | undefined): string | undefined {
    if (!this.#isHost(host)) {
      return host === undefined
        ? "The request names no host"
        : `Host ${quote(host)} is not allowed here; the option allowedHosts lists those that are`
    }
    if (origin !== undefined && !this.#isOrigin(origin)) {
      return `Origin ${quote(origin)} is not allowed here; the option allowedOrigins lists those that are`
    }
    return undefined
  }

  /** Whether a page of this origin may read the answers. */
  isCorsOrigin(origin: string): boolean {
    return this.#cors !== undefined && (this.#cors === "any" || this.#cors.has(origin.toLowerCase()))
  }

  #isHost(host: string | undefined): boolean {
    return host !== undefined && (this.#hosts === "any" || matches(this.#hosts, host.toLowerCase()))
  }

  #isOrigin(given: string): boolean {
    if (this.isCorsOrigin(given) || this.#origins === "any") return true
    const origin = given.toLowerCase()
    if (this.#origins !== undefined) return this.#origins.has(origin)
    // By default a page may call when it comes from a host that is allowed. `null`, the origin of a sandboxed frame or
    // of a file, is the origin of anybody's page and has no host.
    const host = originShape.exec(origin)?.[1]
    return host !== undefined && matches(this.#hosts === "any" ? loopbackSet : this.#hosts, host)
  }
}

const loopbackSet: ReadonlySet<string> = new Set(loopback)

/** An entry without a port stands for every port. */
const matches = (hosts: ReadonlySet<string>, host: string): boolean => {
  const name = hostShape.exec(host)?.[1]
  return name !== undefined && (hosts.has(name) || hosts.has(host))
}

// A peer may send much; a person needs to recognise the name only.
const quote = (value: string): string => JSON.stringify(value.slice(0, 200))
