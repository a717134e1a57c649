import { maskSecrets } from "../secrets/mask.ts"

/**
 * Text of several lines, safe to store or show: without hidden or control characters and secrets, and at most `max`
 * characters long.
 */
export function cleanText(text: string, max: number): string {
  // Cut first: the text may be a megabyte long.
  const clean = withoutHidden(cut(maskedUpTo(text, max), max)).trim()
  return text.length > max ? `${clean}…` : clean
}

/** The same for one line: every run of white space becomes one space. */
export function oneLine(text: string): string {
  return withoutHidden(text).replaceAll(WHITE_SPACE, " ").trim()
}

/**
 * One line of at most `max` characters, cut between words where that loses little, with `…` at a cut.
 */
export function shorten(text: string, max = 100): string {
  const whole = oneLine(text)
  if (whole.length <= max) return whole
  const line = maskedUpTo(whole, max)
  if (line.length <= max) return line
  const short = cut(line, max)
  const space = short.lastIndexOf(" ")
  return `${space > max / 2 ? short.slice(0, space) : short}…`
}

/**
 * Stored text as XML text or attribute: one line, and no way to open or close a tag. Text is data, never instruction.
 */
export function escapeXml(text: string): string {
  return oneLine(text)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
}

/** Masks before the text is cut: half of a secret would not be recognised. */
function maskedUpTo(text: string, max: number): string {
  return maskSecrets(text.length <= max + LONGEST_SECRET ? text : text.slice(0, max + LONGEST_SECRET))
}

/** Removes hidden characters. A lone surrogate becomes a replacement character, so that the text is valid in every encoding. */
export function withoutHidden(text: string): string {
  if (PLAIN.test(text)) return text
  return text.replaceAll(LINE_END, "\n").replaceAll(HIDDEN, "$1").replaceAll(LONE_SURROGATE, "\ufffd")
}

/** Leaves room for the mark, and never ends in half a pair. */
function cut(text: string, max: number): string {
  return text.length <= max ? text : text.slice(0, Math.max(0, max - 1)).replace(HALF_PAIR_AT_END, "")
}

// The scripts in which a joiner decides how two letters are drawn: Arabic (Persian, Urdu) and those of India.
const JOINING = ["Arab", "Beng", "Deva", "Gujr", "Guru", "Knda", "Mlym", "Orya", "Sinh", "Taml", "Telu"]
  .map((script) => `\\p{scx=${script}}`)
  .join("")
/** Where an invisible character belongs to the writing: with the text before it and, as a look ahead, behind it. */
const NEEDED = [
  "[\\t\\n]",
  `(?=[\\p{L}\\p{M}])[${JOINING}][\\u200c\\u200d](?=\\p{L})(?=[${JOINING}])`,
  "\\p{Extended_Pictographic}[\\ufe0e\\ufe0f]?(?:\\u200d(?=\\p{Extended_Pictographic}))?",
  "\\p{Emoji_Modifier}\\u200d(?=\\p{Extended_Pictographic})",
  "[0-9#*]\\ufe0f(?=\\u20e3)",
]
/**
 * Control characters (a terminal obeys them), invisible ones (they carry text that only a model reads), and those that
 * change the direction of writing. A joiner between Latin letters or a variation selector on a digit could carry hidden
 * bits: they stay only where می‌خواهم, क्‍ष, 👩‍🚀 and 1️⃣ need them.
 */
// Not with a look behind: Bun, in which OpenCode runs us, finds no class of characters beyond U+FFFF there.
const HIDDEN = new RegExp(
  `(${NEEDED.join("|")})|[\\p{Cc}\\p{Cf}\\p{Default_Ignorable_Code_Point}\\ufff9-\\ufffc\\ufffe\\uffff]`,
  "gu",
)
// A private key.
const LONGEST_SECRET = 4000
const WHITE_SPACE = /\s+/g
// Line breaks of editors and terminals.
const LINE_END = /\r\n?|[\v\f\u0085\u2028\u2029]/g
// Ranges without hidden characters, which cover nearly all text: searching for hidden ones is many times slower.
const PLAIN =
  /^[\n\x20-\x7e\xa0-\xac\xae-\u02ff\u0370-\u05ff\u2010-\u2027\u2030-\u205e\u2070-\u3163\u3165-\ud7a3\uf900-\ufaff]*$/
const LONE_SURROGATE = /\p{Cs}/gu
const HALF_PAIR_AT_END = /[\ud800-\udbff]$/

/** Attributes without a value are left out. */
type Attributes = Record<string, string | number | null | undefined>

export function element(name: string, attributes: Attributes, text = ""): string {
  if (text === "") return `<${name}${attributeText(attributes)}/>`
  return `${openTag(name, attributes)}${escapeXml(text)}</${name}>`
}

export function openTag(name: string, attributes: Attributes): string {
  return `<${name}${attributeText(attributes)}>`
}

function attributeText(attributes: Attributes): string {
  return Object.entries(attributes)
    .filter(([, value]) => value !== null && value !== undefined && value !== "")
    .map(([key, value]) => ` ${key}="${escapeXml(String(value))}"`)
    .join("")
}
