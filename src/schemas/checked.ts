import * as z from "zod"
import { HiveError } from "../shared/error.ts"
import { maskAll } from "../shared/secrets/mask.ts"

/** Of a call that takes no arguments. */
export const nothing = z.tuple([])

/** The arguments of a call by a program, checked like those of a tool, and masked before anything is made of them. */
export function checked<S extends z.ZodType>(call: string, schema: S, given: unknown): z.infer<S> {
  const parsed = schema.safeParse(given)
  if (parsed.success) return maskAll(parsed.data)
  const field = parsed.error.issues[0]?.path.map(String).join(".") || "arguments"
  throw new HiveError({
    code: "invalid_argument",
    what: `${call} was not run: ${field} is not valid.`,
    why: firstIssue(parsed.error),
    use_instead: `Correct "${field}" and try again.`,
    evidence: `${call}: ${field}`,
  })
}

/** The first thing a schema found wrong, in one line: `title: too long`. */
export function firstIssue(error: { issues: { path: PropertyKey[]; message: string }[] }): string {
  const issue = error.issues[0]
  if (issue === undefined) return "unknown rule"
  return issue.path.length > 0 ? `${issue.path.map(String).join(".")}: ${issue.message}` : issue.message
}
