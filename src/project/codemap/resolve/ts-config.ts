import { dirname, join } from "node:path/posix"
import type { FileTree } from "./file-tree.ts"

/** What a `tsconfig.json`, with those it extends, says about where imports lead. Paths are relative to the project. */
export interface TsConfig {
  /** Its own: `${configDir}` in what it extends. */
  folder: string
  baseUrl: string | undefined
  paths: readonly PathRule[]
  conditions: readonly string[]
}

interface PathRule {
  /** `@app/*`: what stands before and after the star; without one the whole must be equal. */
  before: string
  after: string | undefined
  /** With the star in place of what it stood for; as they are written. */
  targets: readonly string[]
  /** Of the file that has the rule: they are relative to it where there is no `baseUrl`, its own or an inherited one. */
  folder: string
}

/** Reads configurations, each once. */
export function tsConfigs(tree: FileTree) {
  const known = new Map<string, TsConfig>()

  function configAt(path: string): TsConfig {
    const found = known.get(path)
    if (found !== undefined) return found
    known.set(path, NONE) // One that extends itself ends here.
    const config = read(path)
    known.set(path, config)
    return config
  }

  function read(path: string): TsConfig {
    const json = tree.json(path) ?? {}
    const bases = [json["extends"]].flat().flatMap((each) => baseOf(path, each) ?? [])
    const inherited = bases.map(configAt).reduce(over, NONE)
    const own = over(inherited, {
      ...NONE,
      folder: dirname(path),
      ...ownOptions(path, json["compilerOptions"]),
    })
    if (own.paths.length > 0 || own.baseUrl !== undefined) return own
    // One that only points at others ("solution style") has its options in them.
    const referenced = references(path, json["references"]).map(configAt)
    return referenced.reduceRight(over, own)
  }

  function baseOf(path: string, base: unknown): string | undefined {
    if (typeof base !== "string") return undefined
    const folder = base.startsWith(".") ? dirname(path) : packageFolder(base)
    if (folder === undefined) return undefined
    const rest = base.startsWith(".") ? base : `.${base.slice(nameIn(base).length)}`
    const target = join(folder, rest)
    return [target, `${target}.json`, join(target, "tsconfig.json")].find(
      (each) => tree.json(each) !== undefined,
    )
  }

  /** A package of the project, or one that is installed. */
  function packageFolder(base: string): string {
    const name = nameIn(base)
    return tree.packages().get(name) ?? `node_modules/${name}`
  }

  function references(path: string, listed: unknown): string[] {
    if (!Array.isArray(listed)) return []
    return listed.flatMap((each: unknown) => {
      const target = typeof each === "object" && each !== null && "path" in each ? each.path : undefined
      if (typeof target !== "string") return []
      const place = join(dirname(path), target)
      return [place.endsWith(".json") ? place : join(place, "tsconfig.json")].filter(tree.has)
    })
  }

  return {
    /** The one that a file belongs to: the nearest above it. */
    of(file: string): TsConfig {
      const path = tree.nearest(file, ["tsconfig.json", "jsconfig.json"])
      return path === undefined ? NONE : configAt(path)
    },
  }
}

/** Where the paths say that a specifier may lead, the most exact rule first. */
export function pathTargets({ folder, baseUrl, paths }: TsConfig, spec: string): string[] {
  const fitting = paths
    .filter(({ before, after }) =>
      after === undefined
        ? spec === before
        : spec.startsWith(before) && spec.endsWith(after) && spec.length >= before.length + after.length,
    )
    .sort(
      (a, b) =>
        Number(a.after !== undefined) - Number(b.after !== undefined) || b.before.length - a.before.length,
    )
  const [rule] = fitting
  if (rule === undefined) return []
  const star = spec.slice(rule.before.length, spec.length - (rule.after?.length ?? 0))
  return rule.targets.map((written) => {
    const target = written.replace("*", star)
    return target.startsWith(CONFIG_DIR)
      ? join(folder, target.slice(CONFIG_DIR.length))
      : join(baseUrl ?? rule.folder, target)
  })
}

function over(under: TsConfig, upper: TsConfig): TsConfig {
  return {
    folder: upper.folder,
    baseUrl: upper.baseUrl ?? under.baseUrl,
    paths: upper.paths.length > 0 ? upper.paths : under.paths,
    conditions: upper.conditions.length > 0 ? upper.conditions : under.conditions,
  }
}

function ownOptions(path: string, options: unknown): Partial<TsConfig> {
  if (typeof options !== "object" || options === null) return {}
  const { baseUrl, paths, customConditions } = options as Record<string, unknown>
  const folder = dirname(path)
  const base = typeof baseUrl === "string" ? join(folder, baseUrl) : undefined
  const rules = Object.entries(typeof paths === "object" && paths !== null ? paths : {}).map(
    ([pattern, targets]) => {
      const [before = "", after] = pattern.split("*")
      const listed = Array.isArray(targets)
        ? targets.filter((each): each is string => typeof each === "string")
        : []
      return { before, after, targets: listed, folder }
    },
  )
  const conditions = Array.isArray(customConditions)
    ? customConditions.filter((each) => typeof each === "string")
    : []
  return { baseUrl: base, paths: rules, conditions }
}

function nameIn(spec: string): string {
  return spec
    .split("/")
    .slice(0, spec.startsWith("@") ? 2 : 1)
    .join("/")
}

// biome-ignore lint/suspicious/noTemplateCurlyInString: so it stands in the file.
const CONFIG_DIR = "${configDir}"
const NONE: TsConfig = { folder: ".", baseUrl: undefined, paths: [], conditions: [] }
