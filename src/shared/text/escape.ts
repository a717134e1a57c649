/** Stored text as XML text or attribute: one line, and no way to open or close a tag. Text is data, never instruction. */
export function escapeXml(text: string): string {
  return plainLine(text)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
}

/** Stored text for one line of plain text: nothing that breaks the line, hides in it or steers a terminal. */
export function plainLine(text: string): string {
  return text.replaceAll(CONTROL, "").replaceAll(/\s+/g, " ").trim()
}

/** The first `max` characters, cut between words where there is one, with a mark that something is missing. */
export function shorten(text: string, max: number): string {
  const flat = text.replaceAll(/\s+/g, " ").trim()
  if (flat.length <= max) return flat
  const cut = flat.slice(0, max).replace(LONE_SURROGATE, "")
  const space = cut.lastIndexOf(" ")
  return `${space > max / 2 ? cut.slice(0, space) : cut}…`
}

// Characters that are invisible or steer the direction of text: they only serve to hide things. Line ends and tabs are
// control characters too, but count as spaces.
const CONTROL = /(?![\t\n\r])[\p{Cc}\p{Cf}\u2028\u2029\ufff0-\uffff]/gu
const LONE_SURROGATE = /[\ud800-\udbff]$/
