/** Stored text for one line of a terminal or a file: no line breaks, nothing that steers the terminal, cut where it gets long. */
export function oneLine(text: string, max = 100): string {
  const flat = [...text.replace(STEERS_OR_BREAKS, " ").trim()]
  return flat.length <= max ? flat.join("") : `${flat.slice(0, max - 1).join("")}…`
}

// Control characters, white space, and the marks that turn the direction of writing.
const STEERS_OR_BREAKS = /[\p{Cc}\s\u202a-\u202e\u2066-\u2069]+/gu
