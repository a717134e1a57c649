/** A secret in a text. */
export interface Found {
  from: number
  to: number
  /** What the mask says that it was. */
  kind: string
}

/** The text with what was found replaced by what it was. */
export function withoutFound(text: string, found: readonly Found[]): string {
  let masked = ""
  let done = 0
  for (const { from, to, kind } of found.toSorted((a, b) => a.from - b.from)) {
    if (from < done) continue
    masked += `${text.slice(done, from)}[masked: ${kind}]`
    done = to
  }
  return done === 0 ? text : masked + text.slice(done)
}
