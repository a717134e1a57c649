import type * as z from "zod"
import type { Hive } from "../hive/hive.ts"
import { HiveError, toRefusal } from "../shared/error.ts"
import { shorten } from "../shared/text/clean.ts"
import { type ToolName, toolName } from "../shared/tool-names.ts"
import { argumentHelp, candidateText } from "./argument-help.ts"

export interface GivenCall {
  tool: ToolName
  action: string | null
  fields: z.ZodObject
  given: Record<string, unknown>
  hive: Hive
  session: string
}

interface Problem {
  what: string
  why: string
  instead: string
}

export function asObject(tool: string, value: unknown): Record<string, unknown> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value }
  throw new HiveError({
    code: "invalid_argument",
    what: `${tool} was not run.`,
    why: "Its arguments are not an object.",
    use_instead: 'Call it with {"action": "…", …}.',
    evidence: shorten(JSON.stringify(value) ?? "undefined"),
  })
}

/** Removes arguments that are null: models fill optional arguments with null to leave them out. */
export function withoutEmpty(args: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null && value !== undefined))
}

export function unknownAction(tool: string, called: unknown, names: string[]): HiveError {
  const isMissing = called === undefined || called === null
  return new HiveError({
    code: "invalid_argument",
    what: `${tool} was not run: ${isMissing ? "action is missing" : "action is not valid"}.`,
    why: isMissing ? "Every call needs an action." : `It has no action ${JSON.stringify(called)}.`,
    use_instead: `Use action: ${names.join(", ")}.`,
    evidence: `action = ${JSON.stringify(called) ?? "undefined"}`,
  })
}

/** An error that names each missing, wrong or unknown argument, with its meaning and possible values. */
export function wrongArguments(call: GivenCall, { issues }: z.ZodError): HiveError {
  const problems = issues.slice(0, MAX_PROBLEMS).map((issue) => problemOf(call, issue))
  const all = (part: keyof Problem) => [...new Set(problems.map((problem) => problem[part]))]
  const name = [toolName(call.tool), call.action ?? []].flat().join(" ")
  return new HiveError({
    code: "invalid_argument",
    what: `${name} was not run: ${all("what").join("; ")}.`,
    why: all("why").join(" "),
    use_instead: all("instead").join(" "),
    // Only names: masking would not recognise a secret in a shortened value.
    evidence: `given: ${Object.keys(call.given).join(", ") || "nothing"}`,
  })
}

/** Adds possible values to a "not found" error: for the ids that the error names, else for the arguments left out. */
export function notFoundArgument(call: GivenCall, error: unknown): unknown {
  if (!(error instanceof HiveError) || !NAMES_NOTHING.has(error.code)) return error
  const { tool, given, fields, hive, session } = call
  const text = `${error.what} ${error.evidence}`.toLowerCase()
  const named = stringsIn(given).filter(({ value }) => text.includes(value.toLowerCase()))
  const absent = Object.keys(fields.shape).filter((name) => given[name] === undefined)
  for (const name of named.length > 0 ? named.map(({ name }) => name) : absent) {
    const help = argumentHelp(tool, name)
    if (help?.among === undefined) continue
    const why = `${error.why} ${name} is ${help.is}.`
    const use_instead = `${error.use_instead} ${candidateText(help.among, hive, session)}`
    return new HiveError({ ...toRefusal(error), why, use_instead }, { cause: error })
  }
  return error
}

function problemOf({ tool, fields, given, hive, session }: GivenCall, issue: z.core.$ZodIssue): Problem {
  const name = issue.path.join(".")
  if (issue.code === "unrecognized_keys") {
    const place = name || "it"
    const names = issue.keys.join(", ")
    const known = Object.keys(fields.shape).join(", ") || "no arguments"
    const why = name === "" ? `it takes ${known}.` : `${place} has no such field.`
    return { what: `${place} takes no ${names}`, why, instead: `Leave out ${names}.` }
  }
  const help = argumentHelp(tool, plainName(issue.path))
  const isMissing = valueAt(given, issue.path) === undefined
  return {
    what: `${name} is ${isMissing ? "missing" : "not valid"}`,
    why: `${name} is ${help === undefined ? "" : `${help.is}: `}${expectedText(issue)}.`,
    instead: help?.among === undefined ? `Give ${name}.` : candidateText(help.among, hive, session),
  }
}

function plainName(path: readonly PropertyKey[]): string {
  return path.filter((key) => typeof key === "string").join(".")
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let at = value
  for (const key of path) at = typeof at === "object" && at !== null ? Reflect.get(at, key) : undefined
  return at
}

/** All strings in the arguments, each with the argument's name as the argument help spells it. */
function stringsIn(value: unknown, path: readonly PropertyKey[] = []): { name: string; value: string }[] {
  if (typeof value === "string") return [{ name: plainName(path), value }]
  if (typeof value !== "object" || value === null) return []
  const isList = Array.isArray(value)
  return Object.entries(value).flatMap(([key, each]) => stringsIn(each, isList ? path : [...path, key]))
}

function expectedText(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return TYPES[issue.expected] ?? issue.expected
    case "invalid_value":
      return `one of ${issue.values.join(", ")}`
    case "too_small":
      return `at least ${issue.minimum}${UNITS[issue.origin] ?? ""}`
    case "too_big":
      return `at most ${issue.maximum}${UNITS[issue.origin] ?? ""}`
    default:
      return issue.message
  }
}

const TYPES: Readonly<Record<string, string>> = {
  string: "a text",
  array: "a list",
  object: "an object",
  boolean: "true or false",
  number: "a number",
  int: "a whole number",
}
const UNITS: Readonly<Record<string, string>> = { string: " characters", array: " items" }
const NAMES_NOTHING: ReadonlySet<string> = new Set(["not_found", "orphan"])
const MAX_PROBLEMS = 5
