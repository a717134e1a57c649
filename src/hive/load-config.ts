import { dirname, join } from "node:path"
import type { ParseError } from "jsonc-parser"
import type { ZodType } from "zod"
import { firstIssue, tryParse } from "../schemas/checked.ts"
import { type Config, config as configSchema, defaultConfig } from "../schemas/config.ts"
import { trackedFiles } from "../shared/git-tracked.ts"
import { failureReason, systemCode } from "../shared/system-error.ts"
import { jsonFault } from "../shared/text/json-fault.ts"
import { readFileSync } from "../store/files/hive-fs.ts"

/** A source of options; the weakest comes first. */
export interface ConfigLayer {
  /** For messages: a file or "the plugin's options". */
  name: string
  value: unknown
  /** The project's own: an agent, or the author of a cloned repository, may have written it. */
  isProjects?: boolean
  /** Git tracks it: whoever may write to the repository wrote it. */
  isTracked?: boolean
}

/** Merges the layers over the defaults. An invalid option is reported, and the weaker value stays. */
export function mergeConfig(layers: ConfigLayer[]): { config: Config; problems: string[] } {
  const problems: string[] = []
  const merged: Record<string, unknown> = { ...defaultConfig }
  const options: Record<string, ZodType> = configSchema.shape
  for (const { name, value, isProjects = false, isTracked = false } of layers) {
    if (value === undefined) continue
    if (!isPlainObject(value)) {
      problems.push(`${name}: not an object of options; ignored`)
      continue
    }
    mergeOptions(merged, options, value, { layer: name, prefix: "", isProjects, isTracked, problems })
  }
  // Every value was checked by its own schema, or is a default.
  return { config: merged as Config, problems }
}

function mergeOptions(
  merged: Record<string, unknown>,
  options: Record<string, ZodType>,
  value: object,
  at: { layer: string; prefix: string; isProjects: boolean; isTracked: boolean; problems: string[] },
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
      // Option by option: one wrong value must not take the others along.
      const inner = { ...(isPlainObject(merged[key]) && merged[key]) }
      mergeOptions(inner, nested, given, { ...at, prefix: `${name}.` })
      merged[key] = inner
      continue
    }
    if (at.isProjects && at.prefix === "snapshots." && Number(given) < Number(merged[key])) {
      at.problems.push(`${at.layer}: ${name}: ${KEEPS_SNAPSHOTS}; using ${shown(merged[key])}`)
      continue
    }
    if (at.isProjects && key === "run_commands" && given === "allow") {
      at.problems.push(`${at.layer}: ${name}: ${ONLY_THE_USER}; using ${shown(merged[key])}`)
      continue
    }
    const parsed = tryParse(option, given)
    if (at.isTracked && parsed.success && liftsLimit(key, parsed.data, merged[key])) {
      at.problems.push(`${at.layer}: ${name}: ${NOT_FROM_GIT}; using ${shown(merged[key])}`)
      continue
    }
    if (!parsed.success)
      at.problems.push(`${at.layer}: ${name}: ${firstIssue(parsed.error)}; using ${shown(merged[key])}`)
    else if (key !== "$schema") merged[key] = parsed.data
  }
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

/** An option by its full name, such as `snapshots.keep_days`. */
export interface ConfigOption {
  name: string
  path: readonly string[]
  schema: ZodType
  description: string
}

/** All options, those of a group one by one. */
export function listOptions(): ConfigOption[] {
  const optionOf = (path: string[], schema: ZodType) => ({
    ...{ name: path.join("."), path, schema },
    description: schema.description ?? "",
  })
  return Object.entries(configSchema.shape).flatMap(([key, schema]) => {
    if (key === "$schema") return []
    const group = Object.entries(NESTED_OPTIONS[key] ?? {})
    return group.length === 0
      ? [optionOf([key], schema)]
      : group.map(([inner, each]) => optionOf([key, inner], each))
  })
}

/** A config file with comments as a layer; a missing one is no layer, a broken one is a problem. */
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
  const { parse } = await import("jsonc-parser") // Most projects have no such file.
  const errors: ParseError[] = []
  const value: unknown = parse(text, errors, { allowTrailingComma: true })
  const fault = jsonFault(text, errors)
  const isTracked = isProjects && trackedFiles(dirname(dirname(path))).includes(path)
  if (fault === undefined) return { layer: { name: path, value, isProjects, isTracked } }
  return { problem: `${path}: ${fault}; the file is ignored` }
}

/** The whole configuration: user-wide file, then the project's, then what the caller gives. */
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

/** The user-wide configuration of HiveMind, in the folder where configurations are kept. */
export function userConfigFile(env: Record<string, string | undefined>, home: string): string {
  return join(env["XDG_CONFIG_HOME"] || join(home, ".config"), "hivemind", "config.json")
}
