/**
 * The grammar of `_meta` keys and of extension identifiers.
 *
 * A key is a name, or a prefix and a name: `com.example/trace`. The prefix is a reversed domain, and prefixes that
 * belong to the protocol are reserved.
 *
 * @since 0.1.0
 */
import * as Option from "effect/Option"

/**
 * The parts of a key.
 *
 * **Details**
 *
 * `labels` are the parts of the prefix, in order: `["com", "example"]` for `com.example/trace`, and empty where the key
 * has no prefix. `name` may be empty.
 *
 * @category models
 * @since 0.1.0
 */
export interface MetaKey {
  readonly labels: ReadonlyArray<string>
  readonly name: string
}

/**
 * Which prefixes are reserved: those whose second label belongs to the protocol (`io.modelcontextprotocol/`, from
 * revision 2025-11-25 on) or those whose label before the last one does (`modelcontextprotocol.io/`, revision
 * 2025-06-18).
 *
 * @category models
 * @since 0.1.0
 */
export type ReservedRule = "SecondLabel" | "NextToLastLabel"

/**
 * Takes a key apart, if it is one.
 *
 * **Details**
 *
 * The prefix is one or more labels between dots, and ends with a slash. A label begins with a letter, ends with a letter
 * or a digit, and has letters, digits and hyphens between. A name, unless it is empty, begins and ends with a letter or a
 * digit, and has letters, digits, hyphens, underscores and dots between.
 *
 * **Example** (A key with a prefix)
 *
 * ```ts
 * import * as MetaKey from "@effect-mcp/core/MetaKey"
 *
 * MetaKey.parse("com.example/trace") // => Option.some({ labels: ["com", "example"], name: "trace" })
 * MetaKey.parse("-trace") // => Option.none()
 * ```
 *
 * @category parsing
 * @since 0.1.0
 */
export const parse = (key: string): Option.Option<MetaKey> => {
  const slash = key.indexOf("/")
  const name = key.slice(slash + 1)
  if (!isNamePart(name)) return Option.none()
  if (slash === -1) return Option.some({ labels: [], name })
  const labels = key.slice(0, slash).split(".")
  return labels.every(isLabel) ? Option.some({ labels, name }) : Option.none()
}

/**
 * Whether a string follows the grammar of `_meta` keys.
 *
 * **Example** (Valid and invalid keys)
 *
 * ```ts
 * import * as MetaKey from "@effect-mcp/core/MetaKey"
 *
 * MetaKey.isValid("progressToken") // => true
 * MetaKey.isValid("com..example/trace") // => false
 * ```
 *
 * @category guards
 * @since 0.1.0
 */
export const isValid = (key: string): boolean => Option.isSome(parse(key))

/**
 * Whether the prefix of a key is reserved for the protocol.
 *
 * **Details**
 *
 * Labels are compared without regard to case, as domain names are. A key that is not valid is not reserved.
 *
 * **Example** (The two rules)
 *
 * ```ts
 * import * as MetaKey from "@effect-mcp/core/MetaKey"
 *
 * MetaKey.isReserved("io.modelcontextprotocol/serverInfo") // => true
 * MetaKey.isReserved("com.example.mcp/x") // => false
 * MetaKey.isReserved("modelcontextprotocol.io/x", "NextToLastLabel") // => true
 * ```
 *
 * @category guards
 * @since 0.1.0
 */
export const isReserved = (key: string, rule: ReservedRule = "SecondLabel"): boolean =>
  Option.match(parse(key), {
    onNone: () => false,
    onSome: ({ labels }) => {
      if (labels.length < 2) return false
      const label = labels[rule === "SecondLabel" ? 1 : labels.length - 2]?.toLowerCase()
      return label === "modelcontextprotocol" || label === "mcp"
    }
  })

/**
 * Whether a string is an extension identifier: a valid key with a prefix and a name.
 *
 * **Example** (Identifiers)
 *
 * ```ts
 * import * as MetaKey from "@effect-mcp/core/MetaKey"
 *
 * MetaKey.isExtensionId("io.modelcontextprotocol/tasks") // => true
 * MetaKey.isExtensionId("tasks") // => false
 * ```
 *
 * @category guards
 * @since 0.1.0
 */
export const isExtensionId = (id: string): boolean =>
  Option.exists(parse(id), ({ labels, name }) => labels.length > 0 && name !== "")

const isLetter = (code: number): boolean => (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a)

const isAlphanumeric = (code: number): boolean => isLetter(code) || (code >= 0x30 && code <= 0x39)

const hyphen = 0x2d

const isInnerOfName = (code: number): boolean =>
  isAlphanumeric(code) || code === hyphen || code === 0x5f || code === 0x2e

const isInnerOfLabel = (code: number): boolean => isAlphanumeric(code) || code === hyphen

const isLabel = (label: string): boolean =>
  isLetter(label.charCodeAt(0)) && isAlphanumeric(label.charCodeAt(label.length - 1)) && every(label, isInnerOfLabel)

const isNamePart = (name: string): boolean =>
  name === "" ||
  (isAlphanumeric(name.charCodeAt(0)) && isAlphanumeric(name.charCodeAt(name.length - 1)) &&
    every(name, isInnerOfName))

const every = (text: string, predicate: (code: number) => boolean): boolean => {
  for (let i = 0; i < text.length; i++) {
    if (!predicate(text.charCodeAt(i))) return false
  }
  return true
}
