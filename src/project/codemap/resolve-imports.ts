import { existsSync } from "node:fs"
import { builtinModules } from "node:module"
import { join as joinSystem, relative } from "node:path"
import { dirname, join } from "node:path/posix"
import { createPathsMatcher, type PathsMatcher, parseTsconfig, type TsConfigJsonResolved } from "get-tsconfig"
import { dependenciesOf, type ProjectPackages, packageTargets, sourcesOf } from "./project-packages.ts"

type Target =
  | { file: string }
  /** Not a file of the project: a package, a bundler's file, a file that git ignores. */
  | "outside"
  /** It should be a file of the project, and does not exist. */
  | "missing"

export type Resolve = (from: string, spec: string) => Target

/**
 * Finds the file that an import means among the project's own: relative, by `paths` and `baseUrl` of a `tsconfig.json`,
 * by `imports` of its package, or by the name of another package of the project. It needs no installed packages.
 */
export function importResolver(dir: string, packages: ProjectPackages): Resolve {
  const configOf = tsConfigs(dir, packages)
  const resolved = new Map<string, Target>()

  function resolve(from: string, spec: string): Target {
    // A bundler's request has a query, or loaders: "./loader!./file". A specifier that begins with `#` is a name.
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
    // A pattern for everything (`*`), or `baseUrl`, does not say that the file must be there.
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
    // Without targets the name is some bundler's.
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
    const entries = key === "." ? entriesOf(found) : [key]
    return sourceIn(folder, entries, key) ?? findFile(join(folder, key))
  }

  /** The first target that is there, or else the source of one that a build makes. */
  function sourceIn(folder: string, targets: readonly string[], key: string): string | undefined {
    return (
      firstOf(targets, (target) => findFile(join(folder, target))) ??
      firstOf(targets, (target) => firstOf(sourcesOf(target, key), (path) => findFile(join(folder, path))))
    )
  }

  /** As TypeScript does: `./a` is `a.ts` or `a/index.ts`, and `./a.js` is written for `a.ts`. */
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

  /** Whether it exists outside of the list: ignored by git, or no code. */
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

  /** All files of a folder get the same answer. */
  return (from, spec) => {
    const key = `${dirname(from)}\0${spec}`
    const known = resolved.get(key)
    if (known !== undefined) return known
    const target = resolve(from, spec)
    resolved.set(key, target)
    return target
  }
}

interface ImportConfig {
  matcher: PathsMatcher | null
  conditions: readonly string[]
}

/** The import options of the nearest `tsconfig.json` or `jsconfig.json` of a file. */
function tsConfigs(dir: string, packages: ProjectPackages): (from: string) => ImportConfig {
  const known = new Map<string, ImportConfig>()
  const cache = new Map<string, string>()

  function read(path: string): ImportConfig {
    const own = parse(path)
    const { paths, baseUrl, customConditions = [] } = own?.compilerOptions ?? {}
    const conditions = [...customConditions, ...CONDITIONS]
    // A config that only points at others ("solution style") has its options in them.
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

  function parse(path: string): TsConfigJsonResolved | undefined {
    try {
      return parseTsconfig(joinSystem(dir, path), cache)
    } catch {
      return undefined // Broken, or it extends one that is not installed.
    }
  }

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
