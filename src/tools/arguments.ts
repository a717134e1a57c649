import type * as z from "zod"
import { HiveError } from "../shared/error.ts"
import { shorten } from "../shared/text/clean.ts"

export function asObject(tool: string, value: unknown): Record<string, unknown> {
  if (isArguments(value)) return value
  throw new HiveError({
    code: "invalid_argument",
    what: `${tool} was not run.`,
    why: "Its arguments are not an object.",
    use_instead: 'Call it with {"action": "…", …}.',
    evidence: shorten(JSON.stringify(value) ?? "undefined"),
  })
}

function isArguments(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** Models fill optional arguments with null; that means "left out". */
export function withoutEmpty(args: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null && value !== undefined))
}

export function unknownAction(tool: string, called: unknown, names: string[]): HiveError {
  return new HiveError({
    code: "invalid_argument",
    what: `${tool} was not run.`,
    why: `It has no action ${JSON.stringify(called) ?? "(none given)"}.`,
    use_instead: `Use action: ${names.join(", ")}.`,
    evidence: `action = ${JSON.stringify(called) ?? "undefined"}`,
  })
}

export function wrongArgument(tool: string, called: string, error: z.ZodError, fields: string[]): HiveError {
  const issue = error.issues[0]
  const field = issue?.path.map(String).join(".") || "arguments"
  return new HiveError({
    code: "invalid_argument",
    what: `${tool} ${called} was not run: ${field} is not valid.`,
    why: issue?.message ?? "unknown rule",
    use_instead: `Its arguments: ${fields.join(", ") || "none"}.`,
    evidence: `${field}, rule ${issue?.code ?? "unknown"}`,
  })
}
