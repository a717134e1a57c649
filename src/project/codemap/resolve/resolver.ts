import { existsSync } from "node:fs"
import { builtinModules } from "node:module"
import { join as joinSystem } from "node:path"
import { dirname, join } from "node:path/posix"
import { sourceOf } from "./built-files.ts"
import { asFile, findFile } from "./candidates.ts"
import type { FileTree } from "./file-tree.ts"
import { packageTarget } from "./package-exports.ts"
import { pathTargets, type TsConfig, tsConfigs } from "./ts-config.ts"
import { workspace } from "./workspace.ts"

/** Where an import leads. */
export type Target =
  | { file: string }
  /** Something that is no file of the project: a package, what a bundler makes, a file that git ignores. */
  | "outside"
  /** It should be a file of the project, and there is none. */
  | "missing"

/**
 * Finds the file that an import means, among the project's own: relative, by `paths` and `baseUrl` of a `tsconfig.json`,
 * by `imports` of its package, or by the name of another package of the project. It needs no installed packages.
 */
export function resolver(dir: string, tree: FileTree) {
  const configs = tsConfigs(tree)
  const members = workspace(dir, tree)
  const conditionsBy = new Map<TsConfig, ReadonlySet<string>>()
  const resolved = new Map<string, Map<string, Target>>()

  /** All files of a folder are answered alike. */
  function resolve(from: string, written: string): Target {
    const folder = from.slice(0, from.lastIndexOf("/") + 1)
    const known = resolved.get(folder) ?? new Map<string, Target>()
    if (known.size === 0) resolved.set(folder, known)
    const found = known.get(written) ?? find(from, withoutQuery(written))
    known.set(written, found)
    return found
  }

  function find(from: string, spec: string): Target {
    // "./loader!./file" is a bundler's.
    if (spec.includes("!")) return "outside"
    if (/^\.{1,2}(\/|$)/.test(spec)) return inProject(from, joinPath(dirname(from), spec))
    if (spec.startsWith("/") || /^[a-z][a-z+.-]*:/i.test(spec)) return "outside"
    const config = configs.of(from)
    const mapped = pathTargets(config, spec)
    for (const target of mapped) {
      const file = findFile(tree, target)
      if (file !== undefined) return { file }
    }
    if (config.baseUrl !== undefined) {
      const file = findFile(tree, join(config.baseUrl, spec))
      if (file !== undefined) return { file }
    }
    const conditions = conditionsOf(config)
    if (spec.startsWith("#")) return byImports(from, spec, conditions)
    const file = byPackage(from, spec, conditions)
    if (file !== undefined) return { file }
    // A pattern for everything says nothing about what should be there.
    const isOurs = mapped.some((target) => !target.includes("node_modules") && !/^\**$/.test(target))
    return isOurs && !isKnownPackage(from, spec) && !mapped.some(exists) ? "missing" : "outside"
  }

  function conditionsOf(config: TsConfig): ReadonlySet<string> {
    const known = conditionsBy.get(config)
    if (known !== undefined) return known
    const made = new Set([...CONDITIONS, ...config.conditions])
    conditionsBy.set(config, made)
    return made
  }

  function inProject(from: string, path: string): Target {
    if (path.startsWith("../") || path === "..") return "outside"
    const file = findFile(tree, path)
    if (file !== undefined) return { file }
    return exists(path) || isReplaced(from, path) ? "outside" : "missing"
  }

  /** By what `browser` of its package puts in its place. */
  function isReplaced(from: string, path: string): boolean {
    const owner = tree.nearest(from, ["package.json"])
    const table = owner === undefined ? undefined : tree.json(owner)?.["browser"]
    if (owner === undefined || typeof table !== "object" || table === null) return false
    return Object.keys(table).some((key) => {
      const place = join(dirname(owner), key)
      return key.startsWith(".") && (place === path || place === `${path}.js`)
    })
  }

  /** Ignored by git, or of a kind that is no code: it is there all the same. */
  function exists(path: string): boolean {
    return ON_DISK.some((ending) => existsSync(joinSystem(dir, path + ending)))
  }

  function byImports(from: string, spec: string, conditions: ReadonlySet<string>): Target {
    const path = tree.nearest(from, ["package.json"])
    const folder = path === undefined ? "." : dirname(path)
    const targets = packageTarget(tree.packageIn(folder)?.imports, spec, conditions)
    for (const target of targets) {
      if (!target.startsWith(".")) return "outside"
      const file = asFile(tree, join(folder, target))
      if (file !== undefined) return { file }
    }
    const source = sourceOf(tree, folder, targets, "./#")
    if (source !== undefined) return { file: source }
    // Others use the sign for names of their own.
    return targets.length > 0 && !targets.some((target) => BUILT.test(target) || exists(join(folder, target)))
      ? "missing"
      : "outside"
  }

  function byPackage(from: string, spec: string, conditions: ReadonlySet<string>): string | undefined {
    const name = packageName(spec)
    const folder = tree.packages().get(name)
    if (folder === undefined || !members.reaches(from, name)) return undefined
    const found = tree.packageIn(folder)
    const rest = spec.slice(name.length)
    if (found?.exports !== undefined) {
      const targets = packageTarget(found.exports, `.${rest}`, conditions)
      const file = targets
        .map((target) => asFile(tree, join(folder, target)))
        .find((each) => each !== undefined)
      return file ?? sourceOf(tree, folder, targets, `.${rest}`)
    }
    const targets = rest === "" ? [found?.types, found?.main] : [`.${rest}`]
    return (
      findFile(tree, join(folder, rest)) ??
      sourceOf(
        tree,
        folder,
        targets.filter((each) => each !== undefined),
        `.${rest}`,
      )
    )
  }

  function isKnownPackage(from: string, spec: string): boolean {
    const name = packageName(spec)
    return BUILT_IN.has(name) || dependencies(from).has(name)
  }

  function dependencies(from: string): Set<string> {
    const path = tree.nearest(from, ["package.json"])
    const json = path === undefined ? undefined : tree.json(path)
    return new Set(DEPENDENCIES.flatMap((field) => Object.keys(json?.[field] ?? {})))
  }

  return { resolve }
}

/** `./a.css?inline` is `./a.css`; what begins with `#` is a name. */
function withoutQuery(spec: string): string {
  const end = spec.search(/[?#]/)
  return end < 0 || spec.startsWith("#") ? spec : spec.slice(0, end)
}

/** As `join`, which reads every sign: most requests go up some folders and down again, and there are very many. */
function joinPath(folder: string, spec: string): string {
  let [base, rest] = [folder, spec]
  for (;;) {
    if (rest.startsWith("./")) rest = rest.slice(2)
    else if (rest.startsWith("../") && base !== ".") {
      rest = rest.slice(3)
      base = base.includes("/") ? base.slice(0, base.lastIndexOf("/")) : "."
    } else break
  }
  if (rest === "" || /^[./]|\/[./]/.test(rest)) return join(folder, spec)
  return base === "." ? rest : `${base}/${rest}`
}

function packageName(spec: string): string {
  const first = spec.indexOf("/")
  const end = spec.startsWith("@") && first >= 0 ? spec.indexOf("/", first + 1) : first
  return end < 0 ? spec : spec.slice(0, end)
}

const CONDITIONS = ["types", "import", "module", "require", "node", "default"]
const DEPENDENCIES = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"]
// What a build makes is not there before it.
const BUILT = /^\.\/(?:dist|build|out|lib)\//
const BUILT_IN = new Set(builtinModules)
const ON_DISK = [
  "",
  ".ts",
  ".tsx",
  ".js",
  ".mjs",
  ".cjs",
  ".jsx",
  ".json",
  ".vue",
  ".svelte",
  ".d.ts",
  ".node",
  "/index.ts",
  "/index.js",
  "/package.json",
]
