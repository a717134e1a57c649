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
  const isMissing = called === undefined || called === null
  return new HiveError({
    code: "invalid_argument",
    what: `${tool} was not run: ${isMissing ? "action is missing" : "action is not valid"}.`,
    why: isMissing ? "action says what to do." : `It has no action ${JSON.stringify(called)}.`,
    use_instead: `Use action: ${names.join(", ")}.`,
    evidence: `action = ${JSON.stringify(called) ?? "undefined"}`,
  })
}
