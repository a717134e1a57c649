/** The columns of a terminal that a text takes: East Asian characters and emoji take two, combining marks none. */
export function columnsOf(text: string): number {
  let columns = 0
  for (const char of text) columns += widthOf(char)
  return columns
}

/** The text cut to `max` columns, with an ellipsis if something is missing. */
export function fitColumns(text: string, max: number): string {
  if (columnsOf(text) <= max) return text
  let fitted = ""
  let columns = 0
  for (const char of text) {
    columns += widthOf(char)
    if (columns > max - 1) break
    fitted += char
  }
  return `${fitted.trimEnd()}…`
}

function widthOf(char: string): number {
  if (MARK.test(char)) return 0
  return WIDE.test(char) ? 2 : 1
}

const MARK = /\p{M}/u
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u
