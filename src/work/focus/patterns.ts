/** The alternatives of several languages as one. */
export function either(...words: string[]): string {
  return words.join("|")
}

/** A whole alternative of words, at a clause's beginning. */
export function begins(words: string): RegExp {
  return new RegExp(`^(?:${words})(?![\\p{L}\\p{N}])[\\s:]*`, "iu")
}

export function ends(words: string): RegExp {
  return new RegExp(
    `[\\s,]+(?:${words})(?:[\\s,]+(?:please|pls|plz|thanks|thank you|bitte|danke|then|ok|okay|stp|svp|graag|por favor))?[\\s!.]*$`,
    "iu",
  )
}

export function has(words: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${words})(?![\\p{L}\\p{N}])`, "iu")
}

/** The text without what the pattern finds, however often. */
export function withoutAll(text: string, pattern: RegExp): string {
  let rest = text
  while (pattern.test(rest)) rest = rest.replace(pattern, "").trim()
  return rest
}
