import { dirname, join } from "node:path"
import type { ParseError } from "jsonc-parser"
import type { ZodType } from "zod"
import { firstIssue, tryParse } from "../schemas/checked.ts"
import { type Config, config as configSchema, defaultConfig } from "../schemas/config.ts"
import { trackedFiles } from "../shared/git-tracked.ts"
import { failureReason, systemCode } from "../shared/system-error.ts"
import { jsonFault } from "../shared/text/json-fault.ts"
import { readFileSync } from "../store/files/hive-fs.ts"

export interface ConfigLayer {
  /** The source's name in messages: a file, or "the plugin's options". */
  name: string
  value: unknown
  /** True for the project's file, which an agent or the author of a cloned repository may have written. */
  isProjects?: boolean
  /** True if git tracks the file, so anyone who can push to the repository may have written it. */
  isTracked?: boolean
}

/** Merges the layers over the defaults. An invalid option is reported and has no effect. */
export function mergeConfig(layers: ConfigLayer[]): { config: Config; problems: string[] } {
  const problems: string[] = []
  const merged: Record<string, unknown> = { ...defaultConfig }
  const options: Record<string, ZodType> = configSchema.shape
  for (const { name, value, isProjects = false, isTracked = false } of layers) {
    if (value === undefined) continue
    if (!isPlainObject(value)) {
      problems.push(`${name}: this is not an object of options, so it is ignored`)
      continue
    }
    mergeOptions(merged, options, value, { layer: name, prefix: "", isProjects, isTracked, problems })
  }
  // The cast is safe: every value was validated or is a default.
  return { config: merged as Config, problems }
}

type Layered = { layer: string; prefix: string; isProjects: boolean; isTracked: boolean; problems: string[] }

function mergeOptions(
  merged: Record<string, unknown>,
  options: Record<string, ZodType>,
  value: object,
  at: Layered,
): void {
  for (const [key, given] of Object.entries(value)) {
    const option = Object.hasOwn(options, key) ? options[key] : undefined
    const name = `${at.prefix}${key}`
    if (option === undefined) {
      at.problems.push(`${at.layer}: there is no option "${name}"`)
      continue
    }
    const nested = at.prefix === "" && Object.hasOwn(NESTED_OPTIONS, key) ? NESTED_OPTIONS[key] : undefined
    if (nested !== undefined && isPlainObject(given)) {
      // Merges a group's options one by one, so that an invalid one does not affect the others.
      const inner = { ...(isPlainObject(merged[key]) && merged[key]) }
      mergeOptions(inner, nested, given, { ...at, prefix: `${name}.` })
      merged[key] = inner
      continue
    }
    const parsed = tryParse(option, given)
    const issue = parsed.success ? undefined : firstIssue(parsed.error)
    const fault =
      notForProject(name, given, merged[key], at) ?? issue ?? notFromGit(key, given, merged[key], at)
    if (fault !== undefined) at.problems.push(`${at.layer}: ${name}: ${fault}; using ${shown(merged[key])}`)
    else if (key !== "$schema") merged[key] = parsed.data
  }
}

function notForProject(name: string, given: unknown, current: unknown, { isProjects }: Layered) {
  if (!isProjects) return undefined
  if (name.startsWith("snapshots.") && Number(given) < Number(current)) return KEEPS_SNAPSHOTS
  return name === "run_commands" && given === "allow" ? ONLY_THE_USER : undefined
}

function notFromGit(key: string, given: unknown, current: unknown, { isTracked }: Layered) {
  return isTracked && liftsLimit(key, given, current) ? NOT_FROM_GIT : undefined
}

function liftsLimit(key: string, given: unknown, current: unknown): boolean {
  if (key === "allow_commands") return Array.isArray(given) && given.length > 0
  return key === "governance" && STRICTNESS.indexOf(String(given)) < STRICTNESS.indexOf(String(current))
}

function isPlainObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

function shown(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value)
}

const ONLY_THE_USER = "only your own configuration or the plugin's options can allow commands"
const NOT_FROM_GIT =
  "git tracks this file, and only your own configuration or the plugin's options can lift a limit"
const STRICTNESS = ["off", "assisted", "strict"]
const KEEPS_SNAPSHOTS = "only your own configuration or the plugin's options can keep less of your files"
const NESTED_OPTIONS: Record<string, Record<string, ZodType>> = {
  detection: configSchema.shape.detection.unwrap().shape,
  research: configSchema.shape.research.unwrap().shape,
  snapshots: configSchema.shape.snapshots.unwrap().shape,
}

/** An option of the configuration. In a group, its name has a dot, for example `snapshots.keep_days`. */
export type ConfigOption = ReturnType<typeof optionOf>

function optionOf(path: readonly string[], schema: ZodType) {
  return { name: path.join("."), path, schema, description: schema.description ?? "" }
}

export function listOptions(): ConfigOption[] {
  return Object.entries(configSchema.shape).flatMap(([key, schema]) => {
    if (key === "$schema") return []
    const group = Object.entries(NESTED_OPTIONS[key] ?? {})
    return group.length === 0
      ? [optionOf([key], schema)]
      : group.map(([inner, each]) => optionOf([key, inner], each))
  })
}

/** Reads a JSON file with comments. Returns nothing for a missing file, a problem for a broken one. */
async function readConfigFile(
  path: string,
  isProjects = false,
): Promise<{ layer?: ConfigLayer; problem?: string }> {
  let text: string
  try {
    text = readFileSync(path, "utf8")
  } catch (error) {
    if (systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR") return {}
    return { problem: `${path}: cannot be read (${failureReason(error)})` }
  }
  const { parse } = await import("jsonc-parser") // Imported only here: most projects have no such file.
  const errors: ParseError[] = []
  const value: unknown = parse(text, errors, { allowTrailingComma: true })
  const fault = jsonFault(text, errors)
  const isTracked = isProjects && trackedFiles(dirname(dirname(path))).includes(path)
  if (fault === undefined) return { layer: { name: path, value, isProjects, isTracked } }
  return { problem: `${path}: ${fault}; the file is ignored` }
}

/** Merges the user's file, the project's file and the given options. Later ones win. */
export async function loadConfig(
  files: { user: string | null; project: string },
  given: ConfigLayer,
): Promise<{ config: Config; problems: string[]; layers: ConfigLayer[] }> {
  const read = await Promise.all([
    ...(files.user === null ? [] : [readConfigFile(files.user)]),
    readConfigFile(files.project, true),
  ])
  const layers = [...read.flatMap(({ layer }) => layer ?? []), given]
  const { config, problems } = mergeConfig(layers)
  return { config, problems: [...read.flatMap(({ problem }) => problem ?? []), ...problems], layers }
}

export function userConfigFile(env: Record<string, string | undefined>, home: string): string {
  return join(env["XDG_CONFIG_HOME"] || join(home, ".config"), "hivemind", "config.json")
}
