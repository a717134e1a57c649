/** Stored text as XML text or attribute: one line, and no way to open or close a tag. Text is data, never instruction. */
export function escapeXml(text: string): string {
  return text
    .replaceAll(CONTROL, "")
    .replaceAll(/\s+/g, " ")
    .trim()
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
}

/** The first `max` characters, cut between words where there is one, with a mark that something is missing. */
export function shorten(text: string, max: number): string {
  const flat = text.replaceAll(/\s+/g, " ").trim()
  if (flat.length <= max) return flat
  const cut = flat.slice(0, max).replace(LONE_SURROGATE, "")
  const space = cut.lastIndexOf(" ")
  return `${space > max / 2 ? cut.slice(0, space) : cut}…`
}

// Characters that are invisible, or that XML does not allow: they only serve to hide things.
const CONTROL =
  /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff0-\uffff]/g
const LONE_SURROGATE = /[\ud800-\udbff]$/
