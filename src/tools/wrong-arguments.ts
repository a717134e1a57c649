import type * as z from "zod"
import type { Hive } from "../hive/hive.ts"
import { HiveError } from "../shared/error.ts"
import { type ToolName, toolName } from "../shared/tool-names.ts"
import { argumentHelp } from "./argument-help.ts"
import { candidateText } from "./candidates.ts"
import { typeText } from "./type-text.ts"

/** A call as far as it takes to explain what is wrong with its arguments. */
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

/** Arguments that are missing, wrong or unknown: each with its name, what it is, and values that would do. */
export function wrongArguments(call: GivenCall, { issues }: z.ZodError): HiveError {
  const problems = issues.slice(0, MAX_PROBLEMS).map((issue) => problemOf(call, issue))
  const all = (part: keyof Problem) => [...new Set(problems.map((problem) => problem[part]))]
  const name = [toolName(call.tool), call.action ?? []].flat().join(" ")
  return new HiveError({
    code: "invalid_argument",
    what: `${name} was not run: ${all("what").join("; ")}.`,
    why: all("why").join(" "),
    use_instead: all("instead").join(" "),
    // Names only: a value that was cut short could be a part of a secret that nothing recognises any more.
    evidence: `given: ${Object.keys(call.given).join(", ") || "nothing"}`,
  })
}

/** A value that is well-formed, but names nothing; or the default of an argument that names nothing. */
export function notFoundArgument(call: GivenCall, error: unknown): unknown {
  if (!(error instanceof HiveError) || !NAMES_NOTHING.has(error.code)) return error
  const { tool, given, fields, hive, session } = call
  const said = `${error.what} ${error.evidence}`.toLowerCase()
  const blamed = stringsIn(given).filter(({ value }) => isNamedIn(said, value.toLowerCase()))
  const absent = Object.keys(fields.shape).filter((name) => given[name] === undefined)
  for (const name of [...blamed.map(({ name }) => name), ...(blamed.length === 0 ? absent : [])]) {
    const help = argumentHelp(tool, name)
    if (help?.among === undefined) continue
    const { code, what, why, use_instead, evidence } = error
    const known = candidateText(help.among, hive, session)
    return new HiveError(
      { code, what, why: `${why} ${name} is ${help.is}.`, use_instead: `${use_instead} ${known}`, evidence },
      { cause: error },
    )
  }
  return error
}

function problemOf({ tool, fields, given, hive, session }: GivenCall, issue: z.core.$ZodIssue): Problem {
  if (issue.code === "unrecognized_keys") {
    const place = issue.path.length === 0 ? "it" : issue.path.join(".")
    const takes = typeText(fields, issue.path).replace(/^an object with/, "takes")
    const names = issue.keys.join(", ")
    return { what: `${place} takes no ${names}`, why: `${place} ${takes}.`, instead: `Leave out ${names}.` }
  }
  const name = issue.path.join(".")
  const help = argumentHelp(tool, plainName(issue.path))
  const isMissing = valueAt(given, issue.path) === undefined
  const type = typeText(fields, issue.path)
  return {
    what: `${name} is ${isMissing ? "missing" : "not valid"}`,
    why: `${name} is ${help === undefined ? type : `${help.is}: ${type}`}.`,
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

/** All texts among the arguments, by the names under which help knows them. */
function stringsIn(value: unknown, path: readonly PropertyKey[] = []): { name: string; value: string }[] {
  if (typeof value === "string") return [{ name: plainName(path), value }]
  if (typeof value !== "object" || value === null) return []
  const isList = Array.isArray(value)
  return Object.entries(value).flatMap(([key, each]) => stringsIn(each, isList ? path : [...path, key]))
}

/** As a word of its own: a short text of a call may be part of any word. */
function isNamedIn(said: string, value: string): boolean {
  const parts = value === "" ? [] : said.split(value)
  return parts.some((after, n) => n > 0 && !/\w$/.test(parts[n - 1] ?? "") && !/^\w/.test(after))
}

const NAMES_NOTHING: ReadonlySet<string> = new Set(["not_found", "orphan"])
const MAX_PROBLEMS = 5
