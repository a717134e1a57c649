/**
 * A text without its here-documents (`cat > file <<'EOF'`): the parser reads past these at once, and they may be as long
 * as files are. Only those are left out that run nothing and cannot be anything else: on lines without other quotes,
 * after balanced ones.
 */
export function codeOf(text: string): string {
  if (!text.includes("<<")) return text
  const kept: string[] = []
  let from = 0
  while (from < text.length) {
    const end = endOfLine(text, from)
    const line = text.slice(from, end)
    const match = line.length > MAX_LINE ? null : HERE_DOCUMENT.exec(line)
    const word = match?.[2]
    const close = word === undefined ? -1 : text.indexOf(`\n${word}\n`, end - 1)
    const isLast = word !== undefined && close === -1 && text.endsWith(`\n${word}`)
    if (word === undefined && isBalanced(line)) {
      kept.push(line)
      from = end + 1
    } else if (word !== undefined && (close !== -1 || isLast)) {
      const body = text.slice(end, isLast ? text.length : close)
      // Without quotes around the word, commands in the text run.
      kept.push(match?.[1] === "" && /[$`]/.test(body) ? line + body : line)
      from = isLast ? text.length : close + word.length + 2
    } else return [...kept, text.slice(from)].join("\n")
  }
  return kept.join("\n")
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf("\n", from)
  return end === -1 ? text.length : end
}

function isBalanced(line: string): boolean {
  const isEven = (char: string) => line.split(char).length % 2 === 1
  return isEven("'") && isEven('"') && isEven("`") && !line.endsWith("\\")
}

const HERE_DOCUMENT = /^[^'"\\`#<]*<< ?(['"]?)(\w+)\1(?:[^'"\\`#<\w][^'"\\`#<]*)?$/
const MAX_LINE = 2000
