import { maskSecrets } from "../../../shared/secrets/mask.ts"

/** Tells the line of a place in a text, from 1. */
export function lineCounter(text: string): (at: number) => number {
  const starts = [0]
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1)
  return (at) => {
    let [low, high] = [0, starts.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((starts[middle] ?? 0) <= at) low = middle
      else high = middle
    }
    return low + 1
  }
}

/** The text as one line, no longer than `max`. */
export function oneLine(text: string, max: number): string {
  return shortened(flattened(text.slice(0, max * 4)), max)
}

/** With one blank in place of any number of blanks and new lines. Masked first: flat or cut, a secret has lost its shape. */
export function flattened(text: string): string {
  const masked = maskSecrets(text)
  return UNEVEN.test(masked) ? masked.replace(/\s+/g, " ").trim() : masked.trim()
}

export function shortened(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max - 1).trimEnd()}…` : text
}

const UNEVEN = /[^\S ]| {2}/
