import { countTokens, dearScriptOf } from "./tokens.ts"

/** A text that a model has written, and how many tokens it has cost by the model's own count. */
export interface CountedText {
  text: string
  tokens: number
  /** Nothing but this text was counted: no thoughts and no tool calls. */
  isAll: boolean
}

/** What counted texts say of one script. */
export interface ScriptSum {
  script: string
  chars: number
  tokens: number
  /** The most that o200k would take for them. */
  most: number
  isAll: boolean
}

/**
 * What a text says of the script that it is mostly in; undefined where it is in none of those that cost far less in one
 * vocabulary than in another. The other characters in it are taken for cheap, so that they never make a script look so.
 */
export function scriptSumOf({ text, tokens, isAll }: CountedText): ScriptSum | undefined {
  if (tokens <= 0 || text.length > MAX_CHARS || !OTHER_SCRIPT.test(text)) return undefined
  const counts = new Map<string, number>()
  let visible = 0
  for (const char of text) {
    if (char.trim() !== "") visible++
    const script = dearScriptOf(char)
    if (script !== undefined) counts.set(script, (counts.get(script) ?? 0) + 1)
  }
  const [script, chars] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? ["", 0]
  if (chars < visible * LEAST_SHARE) return undefined
  const own = [...text].filter((char) => dearScriptOf(char) === script).join("")
  const rest = [...text].filter((char) => dearScriptOf(char) !== script).join("")
  const most = countTokens(own, "o200k") + countTokens(rest, "o200k") * LEAST_OF_COUNT
  return { script, chars, tokens, most, isAll }
}

export function addSums(a: ScriptSum | undefined, b: ScriptSum): ScriptSum {
  if (a === undefined) return b
  return {
    script: b.script,
    chars: a.chars + b.chars,
    tokens: a.tokens + b.tokens,
    most: a.most + b.most,
    isAll: a.isAll && b.isAll,
  }
}

/**
 * Whether the script costs the model no more than o200k; undefined where that cannot be told yet. A count far below what
 * any vocabulary needs is no count.
 */
export function isCheap({ chars, tokens, most, isAll }: ScriptSum): boolean | undefined {
  if (chars < LEAST_CHARS) return undefined
  if (tokens <= most * CLEARLY_BELOW && tokens >= most * LEAST_BELIEVED) return true
  return isAll && tokens > most ? false : undefined
}

const OTHER_SCRIPT = /[\u0370-\u17ff]/
const MAX_CHARS = 20_000
const LEAST_SHARE = 2 / 3
// Of what is counted for any text, a vocabulary takes at least half (test/shared/text/tokens.test.ts).
const LEAST_OF_COUNT = 0.5
// Two or three sentences. Shorter ones may be of words that happen to be in a vocabulary.
const LEAST_CHARS = 250
const CLEARLY_BELOW = 0.95
const LEAST_BELIEVED = 0.55
