/**
 * The cryptography of a `RequestStateCodec`: keys that are derived from secrets, and what is done with them.
 */
import * as Context from "effect/Context"
import * as Aead from "effect/crypto/Aead"
import type * as CryptoError from "effect/crypto/CryptoError"
import * as Kdf from "effect/crypto/Kdf"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Hex from "effect/encoding/Hex"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type { Binding } from "../RequestStateCodec.ts"
import * as Format from "./requestStateCodecFormat.ts"
import type { Secrets } from "./requestStateCodecSecrets.ts"

const webCrypto = Layer.mergeAll(Aead.layerWebCrypto, Kdf.layerWebCrypto).pipe(
  Layer.provideMerge(SecureRandom.layerWebCrypto)
)

/** The crypto of the application where it has any, and otherwise that of the platform. */
const crypto = Effect.gen(function*() {
  const given = yield* Effect.context<never>()
  return Context.merge(yield* Layer.build(webCrypto), given)
})

interface Key {
  /** Says nothing about the key. */
  readonly id: Uint8Array
  readonly key: Aead.Key
}

interface Ring {
  readonly sealing: Key
  readonly byId: ReadonlyMap<string, Aead.Key>
}

const algorithm = Aead.xchacha20Poly1305

/** Another use of the same secrets, or another version of this one, has other keys. */
const info = new TextEncoder().encode("effect-mcp requestState 1")

/** The bytes of a secret that is made up. */
const secretBytes = 32

/** Without secrets, one is made up. */
export const make = Effect.fnUntraced(function*(secrets: Secrets | undefined, audience: string | undefined) {
  const services = yield* crypto
  const aead = Context.get(services, Aead.Aead)
  const kdf = Context.get(services, Kdf.Kdf)
  const random = Context.get(services, SecureRandom.SecureRandom)

  const derive = Effect.fnUntraced(function*(secret: Redacted.Redacted) {
    const bytes = yield* kdf.derive(Kdf.hkdfSha256, new TextEncoder().encode(Redacted.value(secret)), {
      salt: new Uint8Array(0),
      length: algorithm.keyLength + Format.idLength,
      info
    })
    const key: Key = {
      id: bytes.slice(algorithm.keyLength),
      key: yield* Aead.key(algorithm, bytes.subarray(0, algorithm.keyLength))
    }
    return key
  })

  // Not before it is needed: a server that asks nothing makes no keys.
  const ring = yield* Effect.cached(Effect.gen(function*() {
    const [first, ...others] = secrets ?? [Redacted.make(Base64Url.encode(yield* random.randomBytes(secretBytes)))]
    const sealing = yield* derive(first)
    const keys = [sealing, ...(yield* Effect.forEach(others, derive))]
    const made: Ring = { sealing, byId: new Map(keys.map(({ id, key }) => [Hex.encode(id), key])) }
    return made
  }))

  const seal = Effect.fnUntraced(function*(content: Format.Content, binding: Binding) {
    const { id, key } = (yield* ring).sealing
    const head = Format.head(id)
    const nonce = yield* random.randomBytes(algorithm.nonceLength)
    const aad = Format.associated(head, binding, audience)
    const box = yield* aead.encrypt(key, Format.encodeContent(content), { nonce, aad })
    return Format.print({ head, nonce, box })
  }, Effect.orDie)

  const open = Effect.fnUntraced(function*({ box, head, nonce }: Format.Sealed, binding: Binding) {
    const key = (yield* ring).byId.get(Hex.encode(Format.keyId(head)))
    if (key === undefined) return "unknown key"
    const aad = Format.associated(head, binding, audience)
    return yield* aead.decrypt(key, box, { nonce, aad }).pipe(
      Effect.map(Format.decodeContent),
      Effect.catchIf(isDecryptionFailed, () => Effect.succeed("does not belong to this request" as const))
    )
  }, Effect.orDie)

  return { seal, open }
})

const isDecryptionFailed = (error: CryptoError.CryptoError): boolean => error.reason._tag === "DecryptionFailed"
