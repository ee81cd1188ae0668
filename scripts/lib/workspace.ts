/** Where things are in this repository. */
import * as fs from "node:fs"
import * as path from "node:path"

/** The root folder of the repository. */
export const root = path.resolve(import.meta.dirname, "../..")

/** The folder names under `packages/`. */
export const packageNames = (): ReadonlyArray<string> =>
  fs.readdirSync(path.join(root, "packages")).filter((name) =>
    fs.existsSync(path.join(root, "packages", name, "package.json"))
  ).toSorted()

/** All files under `folder` whose path satisfies `keep`, as sorted paths relative to the root with forward slashes. */
export const filesUnder = (folder: string, keep: (file: string) => boolean): ReadonlyArray<string> => {
  const ignored = new Set(["node_modules", "dist", "build", ".tmp"])
  const walk = (dir: string): ReadonlyArray<string> =>
    fs.readdirSync(path.join(root, dir), { withFileTypes: true }).flatMap((entry) => {
      const file = path.posix.join(dir, entry.name)
      if (entry.isDirectory()) return ignored.has(entry.name) ? [] : walk(file)
      return keep(file) ? [file] : []
    })
  return fs.existsSync(path.join(root, folder)) ? [...walk(folder)].toSorted() : []
}

/** The text of a file, its path given relative to the root. */
export const read = (file: string): string => fs.readFileSync(path.join(root, file), "utf8")

/** Whether the module with this `import.meta` is the program that was started. */
export const isMain = (meta: ImportMeta): boolean => fs.realpathSync(process.argv[1] ?? "") === meta.filename
