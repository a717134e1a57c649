import { shorten } from "../../shared/text/clean.ts"

/** The first sentence or two of a message, in one line: code, headings and emphasis are taken off. */
export function gistOf(message: string): string {
  const prose = message
    .replaceAll(/```[\s\S]*?(?:```|$)/g, " ")
    .replaceAll(/^[ \t]*#{1,6} .*$/gm, " ")
    .replaceAll(/^[ \t]*(?:[>*+-]+|\d+\.)[ \t]+/gm, "")
    .replaceAll(/[*`]/g, "")
    .replaceAll(/\s+/g, " ")
    .trim()
  for (const { index } of prose.matchAll(/[.!?](?= |$)|[。！？]/g)) {
    if (index >= MAX_CHARS) break
    if (index >= MIN_CHARS) return prose.slice(0, index + 1)
  }
  return shorten(prose, MAX_CHARS)
}

// "Done." says nothing yet: then the next sentence comes along.
const MIN_CHARS = 30
const MAX_CHARS = 120
