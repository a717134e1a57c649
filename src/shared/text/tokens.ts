import { estimateTokenCount } from "tokenx"

/**
 * How many tokens a text costs, estimated from above: a budget that is exceeded is worse than one not used up.
 * The estimate knows words and CJK. What it undercounts is taken out and counted here: runs of hex and base64, runs
 * of punctuation, other scripts and emoji. The rates are upper bounds over the tokenizers cl100k and o200k.
 */
export function countTokens(text: string): number {
  let counted = 0
  const count = (pattern: RegExp, cost: (match: string) => number, from: string) =>
    from.replace(pattern, (match) => {
      const tokens = cost(match)
      counted += tokens
      return tokens === 0 ? match : " "
    })

  let rest = count(DENSE_RUN, (run) => (isDense(run) ? run.length / CHARS_PER_DENSE_TOKEN : 0), text)
  rest = count(CAPITALS, (word) => word.length / CHARS_PER_CAPITAL_TOKEN, rest)
  rest = count(CAMEL_CASE, (word) => word.split(/(?=[A-Z])/).length * TOKENS_PER_CAMEL_PART, rest)
  rest = count(HANGUL, () => 1.1, rest)
  rest = count(PUNCTUATION_RUN, (run) => run.length * TOKENS_PER_PUNCTUATION, rest)
  rest = count(OTHER_SCRIPT, (char) => (char.length > 1 ? TOKENS_PER_ASTRAL : TOKENS_PER_OTHER), rest)
  return Math.ceil(estimateTokenCount(rest) * MARGIN + counted)
}

/** True of a run that is no word: digits among letters, capitals in the middle, or hardly a vowel. */
function isDense(run: string): boolean {
  let digits = 0
  let capitals = 0
  let vowels = 0
  for (const char of run) {
    if (char >= "0" && char <= "9") digits++
    else if (char >= "A" && char <= "Z") capitals++
    if ("aeiouAEIOU".includes(char)) vowels++
  }
  return digits * 8 > run.length || capitals * 5 > run.length || vowels * 8 < run.length
}

const DENSE_RUN = /[A-Za-z0-9+/=_-]{12,}/g
const CAPITALS = /[A-Z]{4,}/g
const CAMEL_CASE = /[A-Za-z]?[a-z]+(?:[A-Z][a-z0-9]*)+/g
const HANGUL = /[\uac00-\ud7af]/g
const PUNCTUATION_RUN = /[!-/:-@[-`{-~]{3,}/g
// Everything beyond ASCII but CJK, kana and hangul.
const OTHER_SCRIPT = /[^\0-\x7f\u2e80-\u9fff\uac00-\ud7af]/gu
const CHARS_PER_DENSE_TOKEN = 1.35
const TOKENS_PER_PUNCTUATION = 0.75
const TOKENS_PER_OTHER = 1.5
const TOKENS_PER_ASTRAL = 4
const CHARS_PER_CAPITAL_TOKEN = 2.2
const TOKENS_PER_CAMEL_PART = 1.4
const MARGIN = 1.2
