import { existsSync } from "node:fs"
import { builtinModules } from "node:module"
import { join as joinSystem, relative } from "node:path"
import { dirname, join } from "node:path/posix"
import { createPathsMatcher, type PathsMatcher, parseTsconfig } from "get-tsconfig"
import { orUndefined } from "../../shared/lenient-files.ts"
import { dependenciesOf, type ProjectPackages, packageTargets, sourcesOf } from "./project-packages.ts"

type Target =
  | { file: string }
  /** The import is not a project file: a package, a file that a bundler makes, or a file that git ignores. */
  | "outside"
  /** The import should be a file of the project, but that file does not exist. */
  | "missing"

export type Resolve = (from: string, spec: string) => Target

/** Resolves an import to a file of the project: by path, `tsconfig.json`, `imports` of `package.json`, or package name. */
export function importResolver(dir: string, packages: ProjectPackages): Resolve {
  const configOf = tsConfigs(dir, packages)
  const resolved = new Map<string, Target>()

  function resolve(from: string, spec: string): Target {
    // Imports for a bundler may have a query (`./a?raw`) or loaders (`./loader!./a`). A leading `#` is a key of `imports`.
    const plain = spec.startsWith("#") ? spec : spec.replace(/[?#].*$/, "")
    if (plain.includes("!") || plain.startsWith("/") || /^[a-z][a-z+.-]*:/i.test(plain)) return "outside"
    if (/^\.{1,2}(?:\/|$)/.test(plain)) return byPath(join(dirname(from), plain))
    const { matcher, conditions } = configOf(from)
    const mapped = (matcher?.(plain) ?? []).map((path) => relative(dir, path).replaceAll("\\", "/"))
    const file = firstOf(mapped, findFile)
    if (file !== undefined) return { file }
    if (plain.startsWith("#")) return byImports(from, plain, conditions)
    const found = byPackage(from, plain, conditions)
    if (found !== undefined) return { file: found }
    // `*` and `baseUrl` in a tsconfig.json map every import, also imports of npm packages, so a missing target is no error.
    const isOurs = mapped.some((path) => !path.includes("node_modules") && !path.endsWith(plain))
    return isOurs && !isInstalled(from, plain) && !mapped.some(isOnDisk) ? "missing" : "outside"
  }

  function byPath(path: string): Target {
    if (path.startsWith("..")) return "outside"
    const file = findFile(path)
    if (file !== undefined) return { file }
    return isOnDisk(path) ? "outside" : "missing"
  }

  function byImports(from: string, spec: string, conditions: readonly string[]): Target {
    const folder = dirname(packages.nearest(from, "package.json") ?? "package.json")
    const targets = packageTargets(packages.packageIn(folder)?.["imports"], spec, conditions)
    const file = sourceIn(folder, targets, "./#")
    if (file !== undefined) return { file }
    const isBuilt = (target: string) => !target.startsWith(".") || sourcesOf(target, ".").length > 0
    // A name that `imports` does not map is probably defined by a bundler.
    return targets.length === 0 || targets.some((target) => isBuilt(target) || isOnDisk(join(folder, target)))
      ? "outside"
      : "missing"
  }

  function byPackage(from: string, spec: string, conditions: readonly string[]): string | undefined {
    const name = packageName(spec)
    const folder = packages.folderOf(name, from)
    const found = folder === undefined ? undefined : packages.packageIn(folder)
    if (folder === undefined || found === undefined) return undefined
    const key = `.${spec.slice(name.length)}`
    if (found["exports"] !== undefined)
      return sourceIn(folder, packageTargets(found["exports"], key, conditions), key)
    return sourceIn(folder, key === "." ? entriesOf(found) : [key], key) ?? findFile(join(folder, key))
  }

  /** The first target that exists, or else the source file of a target that a build creates. */
  function sourceIn(folder: string, targets: readonly string[], key: string): string | undefined {
    return (
      firstOf(targets, (target) => findFile(join(folder, target))) ??
      firstOf(targets, (target) => firstOf(sourcesOf(target, key), (path) => findFile(join(folder, path))))
    )
  }

  /** Finds a file as TypeScript does: `./a` is `a.ts` or `a/index.ts`, and `./a.js` may be `a.ts`. */
  function findFile(path: string): string | undefined {
    const file = asFile(path)
    if (file !== undefined) return file
    const found = packages.packageIn(path)
    const entry =
      found === undefined
        ? undefined
        : firstOf(entriesOf(found), (each) => asFile(join(path, each)) ?? asFile(join(path, each, "index")))
    return entry ?? asFile(join(path, "index"))
  }

  function asFile(path: string): string | undefined {
    const [extension = ""] = /\.[cm]?jsx?$/i.exec(path) ?? []
    const stem = path.slice(0, path.length - extension.length)
    const typed = (WRITTEN_FOR[extension.toLowerCase()] ?? []).map((each) => stem + each)
    return [...typed, path, ...EXTENSIONS.map((each) => path + each)].find(packages.has)
  }

  function isOnDisk(path: string): boolean {
    return ON_DISK.some((ending) => existsSync(joinSystem(dir, path + ending)))
  }

  function isInstalled(from: string, spec: string): boolean {
    const name = packageName(spec)
    const owner = packages.nearest(from, "package.json")
    return (
      builtinModules.includes(name) ||
      (owner !== undefined && dependenciesOf(packages.packageIn(dirname(owner))).has(name))
    )
  }

  // Cached by folder, because an import means the same in all files of a folder.
  return (from, spec) => {
    const key = `${dirname(from)}\0${spec}`
    const target = resolved.get(key) ?? resolve(from, spec)
    resolved.set(key, target)
    return target
  }
}

interface ImportConfig {
  matcher: PathsMatcher | null
  conditions: readonly string[]
}

function tsConfigs(dir: string, packages: ProjectPackages): (from: string) => ImportConfig {
  const known = new Map<string, ImportConfig>()
  const cache = new Map<string, string>()

  function read(path: string): ImportConfig {
    const own = parse(path)
    const { paths, baseUrl, customConditions = [] } = own?.compilerOptions ?? {}
    const conditions = [...customConditions, ...CONDITIONS]
    // A "solution style" config only references other configs, which have the options.
    const references = paths === undefined && baseUrl === undefined ? (own?.references ?? []) : []
    const others = references
      .map((each) => join(dirname(path), each.path))
      .map((each) => (each.endsWith(".json") ? each : join(each, "tsconfig.json")))
    const matcher = firstOf([path, ...others.filter(packages.has)], (each) => {
      const config = each === path ? own : parse(each)
      return (config && createPathsMatcher({ path: joinSystem(dir, each), config })) ?? undefined
    })
    return { matcher: matcher ?? null, conditions }
  }

  /** Parses a tsconfig.json; undefined if it is broken or extends one that is not installed. */
  const parse = (path: string) => orUndefined(() => parseTsconfig(joinSystem(dir, path), cache))

  return (from) => {
    const path = packages.nearest(from, "tsconfig.json", "jsconfig.json")
    if (path === undefined) return { matcher: null, conditions: CONDITIONS }
    const config = known.get(path) ?? read(path)
    known.set(path, config)
    return config
  }
}

function entriesOf({ types, typings, main, module }: Record<string, unknown>): string[] {
  return [types, typings, main, module].filter((each) => typeof each === "string")
}

function packageName(spec: string): string {
  return spec.split("/", spec.startsWith("@") ? 2 : 1).join("/")
}

function firstOf<T>(values: readonly string[], find: (value: string) => T | undefined): T | undefined {
  for (const value of values) {
    const found = find(value)
    if (found !== undefined) return found
  }
  return undefined
}

const CONDITIONS = ["types", "import", "module", "require", "node", "default"]
const WRITTEN_FOR: Readonly<Record<string, readonly string[]>> = {
  ".js": [".ts", ".tsx", ".d.ts"],
  ".jsx": [".tsx", ".ts", ".d.ts"],
  ".mjs": [".mts", ".d.mts"],
  ".cjs": [".cts", ".d.cts"],
}
const EXTENSIONS = [".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mts", ".cts", ".mjs", ".cjs", ".json"]
const ON_DISK = ["", ...EXTENSIONS, ".vue", ".svelte", ".node", "/index.ts", "/index.js", "/package.json"]
