import * as z from "zod"
import { HiveError } from "../shared/error.ts"
import { maskAll } from "../shared/secrets/mask.ts"

export const nothing = z.tuple([])

/** Validates the arguments of an API call and masks secrets in them. Throws a HiveError if they are not valid. */
export function checked<S extends z.ZodType>(call: string, schema: S, given: unknown): z.infer<S> {
  const parsed = tryParse(schema, given)
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

/** `safeParse` that never throws. Zod's throws for `{"length": {"toString": null}}` in place of a text. */
export function tryParse<S extends z.ZodType>(schema: S, value: unknown): z.ZodSafeParseResult<z.output<S>> {
  try {
    return schema.safeParse(value) as z.ZodSafeParseResult<z.output<S>>
  } catch {
    return z.never(UNREADABLE).safeParse(value) as z.ZodSafeParseError<z.output<S>>
  }
}

/** The first validation error in one line: `title: too long`. */
export function firstIssue(error: { issues: { path: PropertyKey[]; message: string }[] }): string {
  const issue = error.issues[0]
  if (issue === undefined) return "unknown rule"
  return issue.path.length > 0 ? `${issue.path.map(String).join(".")}: ${issue.message}` : issue.message
}

const UNREADABLE = "an object was given in place of a text or a list"
