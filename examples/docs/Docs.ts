/** The Markdown files of a folder. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Schema from "effect/Schema"
import { NoSuchFile } from "./contract.ts"

export class NotAFolder extends Schema.TaggedError<NotAFolder>()("NotAFolder", { dir: Schema.String }) {
  override get message(): string {
    return `Not a folder that can be read: ${this.dir}`
  }
}

export class Docs extends Context.Service<Docs, {
  /** The paths of all files, with forward slashes, in order. */
  readonly list: Effect.Effect<ReadonlyArray<string>>
  readonly read: (path: string) => Effect.Effect<string, NoSuchFile>
}>()("examples/docs/Docs") {
  static readonly layer = (dir: string) => Layer.effect(Docs, make(dir))
}

const make = Effect.fnUntraced(function*(dir: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const root = yield* fs.realPath(dir).pipe(
    Effect.tap((root) => fs.readDirectory(root)),
    Effect.mapError(() => new NotAFolder({ dir }))
  )

  // A client may ask for any path, so both the path and the place where its links lead have to be public.
  const locate = Effect.fnUntraced(function*(name: string) {
    const segments = name.split("/")
    if (!isPublic(segments)) return yield* new NoSuchFile({ path: name })
    const file = yield* fs.realPath(path.join(root, ...segments))
    const info = yield* fs.stat(file)
    if (info.type !== "File" || !isPublic(path.relative(root, file).split(path.sep))) {
      return yield* new NoSuchFile({ path: name })
    }
    return file
  })

  return Docs.of({
    list: fs.glob("**/*.md", { root, exclude: ["**/node_modules/**"] }).pipe(
      Effect.flatMap(Effect.filter((name) => Effect.isSuccess(locate(name)), { concurrency: 8 })),
      Effect.orDie
    ),
    read: (name) =>
      locate(name).pipe(
        Effect.flatMap((file) => fs.readFileString(file)),
        Effect.mapError(() => new NoSuchFile({ path: name }))
      )
  })
})

/** No hidden file or folder, and so no `..` either; no backslash, which is a separator on some systems. */
const isPublic = (segments: ReadonlyArray<string>): boolean =>
  segments.every((segment) => /^[^.\\\0][^\\\0]*$/.test(segment) && segment !== "node_modules") &&
  segments.at(-1)?.endsWith(".md") === true
