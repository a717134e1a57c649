import { maskSecrets } from "../secrets/mask.ts"

/** Removes hidden and control characters from a text, masks secrets, and cuts it to `max` characters. Keeps lines. */
export function cleanText(text: string, max: number): string {
  // The text is cut before it is cleaned, because it may be a megabyte long.
  const clean = withoutHidden(cut(maskedUpTo(text, max), max)).trim()
  return text.length > max ? `${clean}…` : clean
}

/** Removes hidden characters and line breaks: each run of white space becomes one space. */
export function oneLine(text: string): string {
  return withoutHidden(text).replaceAll(WHITE_SPACE, " ").trim()
}

/** Makes one line of at most `max` characters. Cuts between words if that loses little, and ends a cut with `…`. */
export function shorten(text: string, max = 100): string {
  const whole = oneLine(text)
  if (whole.length <= max) return whole
  const line = maskedUpTo(whole, max)
  if (line.length <= max) return line
  const short = cut(line, max)
  const space = short.lastIndexOf(" ")
  return `${space > max / 2 ? short.slice(0, space) : short}…`
}

/** Escapes stored text for XML text and attributes, as one line. */
export function escapeXml(text: string): string {
  return oneLine(text)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
}

/** Masks secrets before the text is cut, because a part of a secret is not recognised. */
function maskedUpTo(text: string, max: number): string {
  return maskSecrets(text.length <= max + LONGEST_SECRET ? text : text.slice(0, max + LONGEST_SECRET))
}

/** Removes hidden characters, and replaces lone surrogates by U+FFFD, so that the text can be encoded. */
export function withoutHidden(text: string): string {
  if (PLAIN.test(text)) return text
  return text.replaceAll(LINE_END, "\n").replaceAll(HIDDEN, "$1").replaceAll(LONE_SURROGATE, "\ufffd")
}

function cut(text: string, max: number): string {
  return text.length <= max ? text : text.slice(0, Math.max(0, max - 1)).replace(HALF_PAIR_AT_END, "")
}

// Scripts in which an invisible joiner changes how letters look: Arabic (Persian, Urdu) and Indian scripts.
const JOINING = ["Arab", "Beng", "Deva", "Gujr", "Guru", "Knda", "Mlym", "Orya", "Sinh", "Taml", "Telu"]
  .map((script) => `\\p{scx=${script}}`)
  .join("")
/** Patterns for invisible characters that are kept, because writing or an emoji needs them. */
const NEEDED = [
  "[\\t\\n]",
  `(?=[\\p{L}\\p{M}])[${JOINING}][\\u200c\\u200d](?=\\p{L})(?=[${JOINING}])`,
  "\\p{Extended_Pictographic}[\\ufe0e\\ufe0f]?(?:\\u200d(?=\\p{Extended_Pictographic}))?",
  "\\p{Emoji_Modifier}\\u200d(?=\\p{Extended_Pictographic})",
  "[0-9#*]\\ufe0f(?=\\u20e3)",
]
/**
 * Characters to remove: control characters (terminals obey them), invisible ones (only a model reads them) and those that change
 * the text direction. Joiners and variation selectors can carry hidden data; only words like می‌خواهم, क्‍ष, 👩‍🚀, 1️⃣ keep them.
 */
// No look-behind is used: inside a look-behind, Bun cannot match character classes beyond U+FFFF.
const HIDDEN = new RegExp(
  `(${NEEDED.join("|")})|[\\p{Cc}\\p{Cf}\\p{Default_Ignorable_Code_Point}\\ufff9-\\ufffc\\ufffe\\uffff]`,
  "gu",
)
// The length of a private key, the longest secret.
const LONGEST_SECRET = 4000
const WHITE_SPACE = /\s+/g
const LINE_END = /\r\n?|[\v\f\u0085\u2028\u2029]/g
// A quick test that most texts pass: only ranges without hidden characters. HIDDEN is many times slower.
const PLAIN =
  /^[\n\x20-\x7e\xa0-\xac\xae-\u02ff\u0370-\u05ff\u2010-\u2027\u2030-\u205e\u2070-\u3163\u3165-\ud7a3\uf900-\ufaff]*$/
const LONE_SURROGATE = /\p{Cs}/gu
const HALF_PAIR_AT_END = /[\ud800-\udbff]$/

/** Attributes that are null, undefined or empty are not written. */
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
