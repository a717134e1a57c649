import * as z from "zod"
import type { Hive } from "../hive/hive.ts"
import { HiveError } from "../shared/error.ts"
import { shorten } from "../shared/text/clean.ts"
import { type ToolName, toolName } from "../shared/tool-names.ts"
import { argumentHelp, candidateText } from "./argument-help.ts"

/** The parts of a call that an error about its arguments needs. */
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

/** Models fill optional arguments with null; that means "left out". */
export function withoutEmpty(args: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null && value !== undefined))
}

export function unknownAction(tool: string, called: unknown, names: string[]): HiveError {
  const isMissing = called === undefined || called === null
  return new HiveError({
    code: "invalid_argument",
    what: `${tool} was not run: ${isMissing ? "action is missing" : "action is not valid"}.`,
    why: isMissing ? "action says what to do." : `It has no action ${JSON.stringify(called)}.`,
    use_instead: `Use action: ${names.join(", ")}.`,
    evidence: `action = ${JSON.stringify(called) ?? "undefined"}`,
  })
}

/** The error for missing, wrong or unknown arguments: each with its name, its meaning, and possible values. */
export function wrongArguments(call: GivenCall, { issues }: z.ZodError): HiveError {
  const problems = issues.slice(0, MAX_PROBLEMS).map((issue) => problemOf(call, issue))
  const all = (part: keyof Problem) => [...new Set(problems.map((problem) => problem[part]))]
  const name = [toolName(call.tool), call.action ?? []].flat().join(" ")
  return new HiveError({
    code: "invalid_argument",
    what: `${name} was not run: ${all("what").join("; ")}.`,
    why: all("why").join(" "),
    use_instead: all("instead").join(" "),
    // Names only: a shortened value could be part of a secret that is not recognised any more.
    evidence: `given: ${Object.keys(call.given).join(", ") || "nothing"}`,
  })
}

/** Adds possible values to an error about an id that was not found, or about a missing default. */
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

/** All strings in the arguments, by their names in the argument help. */
function stringsIn(value: unknown, path: readonly PropertyKey[] = []): { name: string; value: string }[] {
  if (typeof value === "string") return [{ name: plainName(path), value }]
  if (typeof value !== "object" || value === null) return []
  const isList = Array.isArray(value)
  return Object.entries(value).flatMap(([key, each]) => stringsIn(each, isList ? path : [...path, key]))
}

/** True if the value is a whole word of the text: a short value may be part of any word. */
function isNamedIn(said: string, value: string): boolean {
  const parts = value === "" ? [] : said.split(value)
  return parts.some((after, n) => n > 0 && !/\w$/.test(parts[n - 1] ?? "") && !/^\w/.test(after))
}

/** The type of the argument at a path, in words: `a list of 1 to 50, each a text`. */
function typeText(fields: z.ZodObject, path: readonly PropertyKey[]): string {
  let schema: Schema = z.toJSONSchema(fields, { io: "input", unrepresentable: "any" })
  for (const key of path) {
    const next = typeof key === "number" ? schema.items : schema.properties?.[String(key)]
    // Every list of ours has one type of items.
    if (typeof next === "object") schema = next as Schema
  }
  return words(schema)
}

function words(schema: Schema): string {
  const { type, minimum, maximum, maxLength } = schema
  if (schema.enum !== undefined) return `one of ${schema.enum.join(", ")}`
  if (schema.anyOf !== undefined)
    return [...new Set(schema.anyOf.map((each) => words(each as Schema)))].join(" or ")
  if (schema.pattern?.includes(ID) === true) return "an id, or at least its first 8 characters"
  if (type === "array") {
    const { minItems, maxItems, items } = schema
    return `a list${range(minItems, maxItems)}, each ${words(items as Schema)}`
  }
  if (type === "object") return objectWords(schema)
  if (type === "boolean") return "true or false"
  if (type === "integer" || type === "number")
    return `a ${type === "integer" ? "whole " : ""}number${range(minimum, maximum)}`
  return maxLength === undefined ? "a text" : `a text of at most ${maxLength} characters`
}

function objectWords({ properties = {}, required = [] }: Schema): string {
  const optional = Object.keys(properties).filter((name) => !required.includes(name))
  const parts = [required.join(", "), optional.length === 0 ? "" : `optionally ${optional.join(", ")}`]
  return `an object with ${parts.filter(Boolean).join("; ") || "no arguments"}`
}

function range(from: number | undefined, to: number | undefined): string {
  const isOpen = to === undefined || to === Number.MAX_SAFE_INTEGER
  if (isOpen) return from === undefined ? "" : ` of at least ${from}`
  return ` of ${from ?? 0} to ${to}`
}

type Schema = z.core.JSONSchema.BaseSchema

const NAMES_NOTHING: ReadonlySet<string> = new Set(["not_found", "orphan"])
const MAX_PROBLEMS = 5
const ID = "[0-9a-f]{8}"
