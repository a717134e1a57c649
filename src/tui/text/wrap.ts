import { oneLine } from "../../shared/text/clean.ts"

/** Text as lines of at most `width` letters, broken between words where that is possible; its own lines stay. */
export function wrap(text: string, width: number): string[] {
  return text.split("\n").flatMap((given) => {
    const lines: string[] = []
    let rest = oneLine(given)
    while (rest.length > width) {
      const space = rest.lastIndexOf(" ", width)
      const at = space > 0 ? space : wholeLetters(rest, width)
      lines.push(rest.slice(0, at))
      rest = rest.slice(at).trimStart()
    }
    return [...lines, rest]
  })
}

/** Not between the two halves of one. */
function wholeLetters(text: string, width: number): number {
  const isHalf = /[\uD800-\uDBFF]/.test(text[width - 1] ?? "")
  return Math.max(1, isHalf ? width - 1 : width)
}
