import { countTokens, dearScriptOf } from "./tokens.ts"

/** A text that a model has written, with its tokens by the model's own count. */
export interface CountedText {
  text: string
  tokens: number
  /** The count is of this text alone, without reasoning and tool calls. */
  isAll: boolean
}

/** Characters and tokens of counted texts in one script. */
export interface ScriptSum {
  script: string
  chars: number
  tokens: number
  /** Upper bound of the tokens that o200k needs for this text. */
  most: number
  isAll: boolean
}

/**
 * The token count of a text in the script that most of it is in; undefined if that script costs about the same in every
 * vocabulary. Other characters are counted at the lowest rate, so that they never make the script look cheap.
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
 * Whether the script costs the model no more than o200k; undefined without enough text. A count far below the needs of any
 * vocabulary is ignored.
 */
export function isCheap({ chars, tokens, most, isAll }: ScriptSum): boolean | undefined {
  if (chars < LEAST_CHARS) return undefined
  if (tokens <= most * CLEARLY_BELOW && tokens >= most * LEAST_BELIEVED) return true
  return isAll && tokens > most ? false : undefined
}

const OTHER_SCRIPT = /[\u0370-\u17ff]/
const MAX_CHARS = 20_000
const LEAST_SHARE = 2 / 3
// A vocabulary needs at least half of the tokens that are estimated for a text (test/shared/text/tokens.test.ts).
const LEAST_OF_COUNT = 0.5
// Two or three sentences. All words of a shorter text may happen to be in a vocabulary.
const LEAST_CHARS = 250
const CLEARLY_BELOW = 0.95
const LEAST_BELIEVED = 0.55
