/**
 * A text without its here-documents (`cat > file <<'EOF'`), comments and indentation: the parser reads past these at once,
 * and they may be as long as files are. Only those are left out that run nothing and cannot be anything else: on lines
 * without other quotes, after balanced ones. Past the limit it ends.
 */
export function codeOf(text: string, limit: number): string {
  // What is short enough as it is needs no closer look.
  if (text.length <= limit && !text.includes("<<")) return text
  const kept: string[] = []
  let from = 0
  let length = 0
  while (from < text.length && length <= limit + 1) {
    const end = endOfLine(text, from)
    const line = text.slice(from, end)
    const match = line.length > MAX_LINE ? null : HERE_DOCUMENT.exec(line)
    const word = match?.[2]
    const close = word === undefined ? -1 : text.indexOf(`\n${word}\n`, end - 1)
    const isLast = word !== undefined && close === -1 && text.endsWith(`\n${word}`)
    if (word === undefined && COMMENT.test(line)) from = end + 1
    else if (word === undefined && isBalanced(line)) {
      const code = line.trimStart()
      kept.push(code)
      length += code.length + 1
      from = end + 1
    } else if (word !== undefined && (close !== -1 || isLast)) {
      const body = text.slice(end, isLast ? text.length : close)
      // Without quotes around the word, commands in the text run.
      kept.push(match?.[1] === "" && /[$`]/.test(body) ? line + body : line)
      length += kept.at(-1)?.length ?? 0
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
  return isEven("'") && isEven('"') && isEven("`") && !line.endsWith("\\") && !endsInExpansion(line)
}

/** What follows belongs to it, also behind a `#`. */
function endsInExpansion(line: string): boolean {
  return EXPANSIONS.some(([open, close]) => line.lastIndexOf(open) > line.lastIndexOf(close))
}

const HERE_DOCUMENT = /^[^'"\\`#<]*<< ?(['"]?)(\w+)\1(?:[^'"\\`#<\w][^'"\\`#<]*)?$/
const COMMENT = /^\s*(?:#|$)/
const EXPANSIONS = [
  ["${", "}"],
  ["$[", "]"],
  ["$((", ")"],
] as const
const MAX_LINE = 2000
