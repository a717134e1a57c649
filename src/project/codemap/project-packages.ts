import { dirname, join } from "node:path/posix"
import { parse as parseJsonc } from "jsonc-parser"
import picomatch from "picomatch"
import { type PathConditions, resolveExports, resolveImports } from "resolve-pkg-maps"
import { parse as parseYaml } from "yaml"
import { orUndefined } from "../../shared/lenient-files.ts"
import { readProjectFile } from "../files/read-file.ts"

type Json = Record<string, unknown>

export type ProjectPackages = ReturnType<typeof projectPackages>

/** Finds the `package.json` files of a project, for import resolution. Paths are relative to the project. */
export function projectPackages(dir: string, paths: readonly string[]) {
  const files = new Set(paths)
  const jsons = new Map<string, Json | undefined>()
  const nearestTo = new Map<string, string | undefined>()
  let folders: Map<string, string> | undefined
  let isMember: ((folder: string) => boolean) | undefined

  function json(path: string): Json | undefined {
    if (!jsons.has(path)) jsons.set(path, files.has(path) ? readObject(dir, path) : undefined)
    return jsons.get(path)
  }

  /** The nearest file with one of these names, in the folder of the file `from` or above it. */
  function nearest(from: string, ...names: string[]): string | undefined {
    const folder = dirname(from)
    const key = `${folder}\0${names[0]}`
    if (nearestTo.has(key)) return nearestTo.get(key)
    const here = names.map((name) => join(folder, name)).find((path) => files.has(path))
    const found = here ?? (folder === "." ? undefined : nearest(folder, ...names))
    nearestTo.set(key, found)
    return found
  }

  const packageIn = (folder: string) => json(join(folder, "package.json"))

  /** Maps package names to folders. If examples or fixtures repeat a name, the package nearest to the root counts. */
  function foldersByName(): Map<string, string> {
    const found = paths
      .filter((path) => path === "package.json" || path.endsWith("/package.json"))
      .map((path) => [String(json(path)?.["name"] ?? ""), dirname(path)] as const)
    return new Map(found.sort((a, b) => b[1].split("/").length - a[1].split("/").length))
  }

  return {
    has: (path: string) => files.has(path),
    nearest,
    packageIn,
    /** The folder of the project's own package with this name, if `from` can import it by name. */
    folderOf(name: string, from: string): string | undefined {
      folders ??= foldersByName()
      const folder = folders.get(name)
      if (folder === undefined || name === "") return undefined
      const own = dirname(nearest(from, "package.json") ?? "package.json")
      isMember ??= workspaceMembers(dir, json)
      if (isMember(own) || own === folder) return folder
      // A package outside the workspace, such as an example, uses the published version unless it links to the local one.
      const asked = dependenciesOf(packageIn(own))
      return /^(?:workspace|link|file|portal):/.test(asked.get(name) ?? "") ? folder : undefined
    },
  }
}

export function dependenciesOf(found: Json | undefined): Map<string, string> {
  const fields = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"]
  const entries = fields.flatMap((field) => Object.entries(found?.[field] ?? {}))
  return new Map(entries.map(([name, version]) => [name, String(version)]))
}

function workspaceMembers(dir: string, json: (path: string) => Json | undefined) {
  const workspaces = json("package.json")?.["workspaces"]
  const pnpm = readProjectFile(dir, "pnpm-workspace.yaml", MAX_BYTES)
  const globs = [
    ...listIn(workspaces),
    ...listIn(json("lerna.json")),
    ...listIn("text" in pnpm ? orUndefined(() => parseYaml(pnpm.text)) : undefined),
  ].map((glob) => glob.replace(/^(!?)\.\//, "$1").replace(/\/$/, ""))
  if (globs.length === 0) return () => true
  const ignore = globs.filter((glob) => glob.startsWith("!")).map((glob) => glob.slice(1))
  const included = globs.filter((glob) => !glob.startsWith("!"))
  const isIn = picomatch(included, { ignore })
  return (folder: string) => folder === "." || isIn(folder)
}

function listIn(value: unknown): string[] {
  const list = typeof value === "object" && value !== null && "packages" in value ? value.packages : value
  return Array.isArray(list) ? list.filter((each) => typeof each === "string") : []
}

function readObject(dir: string, path: string): Json | undefined {
  const found = readProjectFile(dir, path, MAX_BYTES)
  const value: unknown =
    "text" in found ? parseJsonc(found.text, [], { allowTrailingComma: true }) : undefined
  return typeof value === "object" && value !== null ? { ...value } : undefined
}

/** All files that a package.json maps a key to: `.` or `./sub` in its `exports`, `#name` in its `imports`. */
export function packageTargets(field: unknown, key: string, conditions: readonly string[]): string[] {
  if (typeof field !== "object" && typeof field !== "string") return []
  const map = field as PathConditions
  // Resolving throws if the package does not export the key.
  const targetsFor = (condition: string) =>
    key.startsWith("#")
      ? resolveImports(map as Parameters<typeof resolveImports>[0], key, [condition])
      : resolveExports(map, key.replace(/^\.\/?/, ""), [condition])
  return [...new Set(conditions.flatMap((each) => orUndefined(() => targetsFor(each)) ?? []))]
}

/** Possible sources of a built file: `src/a` for `dist/a.js` and `dist/esm/a.js`. `key` is the export: `.`, `./sub`. */
export function sourcesOf(target: string, key: string): string[] {
  const stem = join(target).replace(/\.d\.[cm]?ts$|\.[cm]?jsx?$/, "")
  const parts = stem.split("/")
  // Finds the first folder with the name of a build folder. The last part is left out: it is a file, such as `out.js`.
  const at = parts.findIndex(
    (part, index) => BUILT.test(part) && (index < parts.length - 1 || stem === join(target)),
  )
  if (at < 0) return []
  const [before, [form = "", ...rest]] = [parts.slice(0, at), parts.slice(at + 1)]
  const plain = join(...before, "src", form, ...rest)
  const withoutForm =
    FORMAT.test(form) && rest.length > 0 && key.split("/")[1] !== form
      ? [join(...before, "src", ...rest)]
      : []
  const withSrc = form === "src" ? [join(...before, "src", ...rest)] : []
  return [...withSrc, ...withoutForm, plain, join("src", key)]
}

const BUILT = /^(?:dist|lib|build|out)(?:-\w+)?$/
const FORMAT = /^(?:esm?|cjs|mjs|umd|commonjs|modules?|types|typings|dts|node|browser)$/
const MAX_BYTES = 1 << 20
