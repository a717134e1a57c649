import {
  ASIDE_FIRST,
  BEFORE_GOING_ON,
  LEAD_IN,
  MAX_END_CHARS,
  MAX_SENTENCE_CHARS,
  ONLY_NOW,
} from "./request-words.ts"
import { withoutSlips } from "./spelling.ts"

/** Without code and quotations: what stands there, somebody else has said. */
export function sentencesOf(message: string): string[] {
  const own = endsOf(message)
    .replaceAll(/```[\s\S]*?(?:```|$)/g, "\n")
    .replaceAll(/^[ \t]{0,20}>.*$/gm, "\n")
    .replaceAll(/[“„«"](?=[^\n"”“»]*[\s.,!?])[^\n"”“»]{25,}[”“»"]/g, " … ")
    .replaceAll("’", "'")
    .replaceAll(/[¿¡]/g, "")
    .replaceAll(/\s{1,3}(?=[:?!])/g, "")
  return withoutSlips(own)
    .replaceAll(/[,\s]+(?:ok|okay|right|yes|alright|please|ja|gut|oder)\?/giu, ".")
    .split(/(?<=[.!?。！？])\s+|(?<=[。！？])|\n+|;\s+/)
    .map((sentence) => sentence.trim().replace(/[.!\s。！]+$/, ""))
    .filter((sentence) => sentence !== "" && sentence.length <= MAX_SENTENCE_CHARS)
}

/** Of a long message, where it begins and where it ends: between them stands what was pasted. */
function endsOf(message: string): string {
  if (message.length <= 2 * MAX_END_CHARS) return message
  const whole = message.replaceAll(/```[\s\S]*?(?:```|$)/g, "\n")
  if (whole.length <= 2 * MAX_END_CHARS) return whole
  return `${whole.slice(0, MAX_END_CHARS)}\n${whole.slice(-MAX_END_CHARS)}`
}

/** Each says one thing: what is left, what is wanted, why. */
export function clausesOf(sentence: string): string[] {
  const clauses = sentence
    .replace(SMALL_TALK, "")
    .replaceAll(/\b(?:every )?now and (?:then|again)\b/giu, "sometimes")
    .replace(BEFORE_GOING_ON, "first ")
    .replace(/\?$/, "")
    .replace(/,\s+(please|pls|plz|bitte)$/iu, " $1")
    .replace(ASIDE_FIRST, "first: ")
    .replace(LEAD_IN, "first: ")
    .split(
      /,\s+|(?<!\b(?:plans?|priority|prio|focus|task|up|next|now|first|switch|instead|change|jetzt|zuerst|nächstes|eerst|nu|maintenant|ahora|primero|planes)|d'abord|wijziging|änderung):\s+|\s+(?:[-–—]|[-=]>|→)\s+|\s+(?:and then|and|but|then|so|because|since|und dann|und|aber|dann|sondern|weil|denn|en dan|en(?= (?:ga|pak|doe|maak|begin|schakel|fix|neem) )|et|mais|y|pero|porque)\s+/i,
    )
    .map((clause) => clause.trim())
    .filter((clause) => clause !== "")
  return withNow(clauses)
}

/** "The captcha, now" is one clause. */
function withNow(clauses: readonly string[]): string[] {
  const joined: string[] = []
  for (const clause of clauses) {
    const last = joined.at(-1)
    if (last === undefined || !ONLY_NOW.test(clause)) joined.push(clause)
    else joined[joined.length - 1] = `${last.replace(/\s+(?:please|pls|plz)$/i, "")} ${clause}`
  }
  return joined
}

/** What a sentence begins with and does not mean. */
export const SMALL_TALK =
  /^(?:(?:ok|okay|hm+|oh|ah|hey|well|so|na|gut|alright)[,.!\s]+|(?:no|nein|nee)[,.!]\s*)+/iu
