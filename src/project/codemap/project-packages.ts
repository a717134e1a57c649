import { dirname, join } from "node:path/posix"
import { parse as parseJsonc } from "jsonc-parser"
import picomatch from "picomatch"
import { type PathConditions, resolveExports, resolveImports } from "resolve-pkg-maps"
import { parse as parseYaml } from "yaml"
import { readProjectFile } from "../files/read-file.ts"

type Json = Record<string, unknown>

/** The project's files in memory with its packages, read when they are first asked for. */
export interface ProjectPackages {
  has: (path: string) => boolean
  /** The nearest file of one of these names, in a file's folder or above it. */
  nearest: (from: string, ...names: string[]) => string | undefined
  /** The `package.json` of a folder; undefined where there is none. */
  packageIn: (folder: string) => Json | undefined
  /** The folder of a package of the project that a file can import by name. */
  folderOf: (name: string, from: string) => string | undefined
}

export function projectPackages(dir: string, paths: readonly string[]): ProjectPackages {
  const files = new Set(paths)
  const jsons = new Map<string, Json | undefined>()
  const nearestTo = new Map<string, string | undefined>()
  let folders: Map<string, string> | undefined
  let isMember: ((folder: string) => boolean) | undefined

  function json(path: string): Json | undefined {
    if (!jsons.has(path)) jsons.set(path, files.has(path) ? readObject(dir, path) : undefined)
    return jsons.get(path)
  }

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

  /** Of two with one name, as in examples and fixtures, the one nearer to the top counts. */
  function foldersByName(): Map<string, string> {
    const found = paths
      .filter((path) => path === "package.json" || path.endsWith("/package.json"))
      .map((path) => [String(json(path)?.["name"] ?? ""), dirname(path)] as const)
    return new Map(found.sort((a, b) => b[1].split("/").length - a[1].split("/").length))
  }

  return {
    has: (path) => files.has(path),
    nearest,
    packageIn,
    folderOf(name, from) {
      folders ??= foldersByName()
      const folder = folders.get(name)
      if (folder === undefined || name === "") return undefined
      const own = dirname(nearest(from, "package.json") ?? "package.json")
      isMember ??= workspaceMembers(dir, json)
      if (isMember(own) || own === folder) return folder
      // An example beside the workspace gets its dependencies from the registry, unless it links a package.
      const asked = dependenciesOf(packageIn(own))
      return /^(?:workspace|link|file|portal):/.test(asked.get(name) ?? "") ? folder : undefined
    },
  }
}

export function dependenciesOf(found: Json | undefined): Map<string, string> {
  const fields = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"]
  return new Map(
    fields.flatMap((field) =>
      Object.entries(found?.[field] ?? {}).map(([name, version]) => [name, String(version)]),
    ),
  )
}

/** Without a declared workspace, all packages of the project belong together. */
function workspaceMembers(
  dir: string,
  json: (path: string) => Json | undefined,
): (folder: string) => boolean {
  const workspaces = json("package.json")?.["workspaces"]
  const pnpm = readProjectFile(dir, "pnpm-workspace.yaml", MAX_BYTES)
  const globs = [
    ...listIn(workspaces),
    ...listIn(json("lerna.json")),
    ...listIn("text" in pnpm ? parsedYaml(pnpm.text) : undefined),
  ].map((glob) => glob.replace(/^(!?)\.\//, "$1").replace(/\/$/, ""))
  if (globs.length === 0) return () => true
  const ignore = globs.filter((glob) => glob.startsWith("!")).map((glob) => glob.slice(1))
  const isIn = picomatch(
    globs.filter((glob) => !glob.startsWith("!")),
    { ignore },
  )
  return (folder) => folder === "." || isIn(folder)
}

function listIn(value: unknown): string[] {
  const list = typeof value === "object" && value !== null && "packages" in value ? value.packages : value
  return Array.isArray(list) ? list.filter((each) => typeof each === "string") : []
}

function parsedYaml(text: string): unknown {
  try {
    return parseYaml(text)
  } catch {
    return undefined // Broken: then no members are declared.
  }
}

function readObject(dir: string, path: string): Json | undefined {
  const found = readProjectFile(dir, path, MAX_BYTES)
  const value: unknown =
    "text" in found ? parseJsonc(found.text, [], { allowTrailingComma: true }) : undefined
  return typeof value === "object" && value !== null ? { ...value } : undefined
}

/** All files that `exports` (key `.` or `./sub`) or `imports` (key `#name`) of a package name, by any condition. */
export function packageTargets(field: unknown, key: string, conditions: readonly string[]): string[] {
  if (typeof field !== "object" && typeof field !== "string") return []
  const map = field as PathConditions
  const targets = conditions.flatMap((condition) => {
    try {
      return key.startsWith("#")
        ? resolveImports(map as Parameters<typeof resolveImports>[0], key, [condition])
        : resolveExports(map, key.replace(/^\.\/?/, ""), [condition])
    } catch {
      return [] // The package offers no such path.
    }
  })
  return [...new Set(targets)]
}

/**
 * Where the source of a built file may be: `dist/a.js` is built from `src/a`, `dist/esm/a.js` too. `key` is what was
 * asked for (`.`, `./sub`). Empty where the target does not lie in a folder that builds write to.
 */
export function sourcesOf(target: string, key: string): string[] {
  const stem = join(target).replace(/\.d\.[cm]?ts$|\.[cm]?jsx?$/, "")
  const parts = stem.split("/")
  // A folder, not a file `out.js`.
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
  const whole = form === "src" ? [join(...before, "src", ...rest)] : []
  return [...whole, ...withoutForm, plain, join("src", key)]
}

const BUILT = /^(?:dist|lib|build|out)(?:-\w+)?$/
const FORMAT = /^(?:esm?|cjs|mjs|umd|commonjs|modules?|types|typings|dts|node|browser)$/
const MAX_BYTES = 1 << 20
