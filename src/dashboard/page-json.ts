import { withoutHidden } from "../shared/text/clean.ts"

/**
 * What the page gets, as text. Stored text may hold signs that turn the direction of writing or cannot be seen: a browser
 * would obey them, so they are left out, as everywhere where people read.
 */
export function pageJson(value: unknown): string {
  const json = JSON.stringify(value)
  // Nearly no answer holds any, and looking at each text of a large one takes long.
  if (!ESCAPED.test(json) && withoutHidden(json) === json) return json
  return JSON.stringify(value, (_, each: unknown) => (typeof each === "string" ? withoutHidden(each) : each))
}

/** Control characters and halves of pairs, as JSON writes them. */
const ESCAPED = /\\[bfru]/
