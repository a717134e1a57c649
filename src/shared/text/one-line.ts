/** Stored text for one line of a terminal or a file: no line breaks, nothing that steers the terminal, cut where it gets long. */
export function oneLine(text: string, max = 100): string {
  const flat = text.replace(STEERS_OR_BREAKS, " ").trim()
  if (flat.length <= max) return flat
  // No character takes more than two units: what is longer than that is cut in any case.
  const start = [...flat.slice(0, 2 * max + 1)]
  return start.length <= max ? flat : `${start.slice(0, max - 1).join("")}…`
}

// Control characters, white space, and the marks that turn the direction of writing.
const STEERS_OR_BREAKS = /[\p{Cc}\s\u202a-\u202e\u2066-\u2069]+/gu
