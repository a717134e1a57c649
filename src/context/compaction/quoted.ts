import { escapeXml, shorten } from "../../shared/text/clean.ts"
import { countTokens } from "../../shared/text/tokens.ts"

/** A text of several lines as data in a prompt: no line can open or close a tag, and it costs at most so many tokens. */
export function quoted(tag: string, text: string, maxTokens: number): string {
  const lines: string[] = []
  let left = maxTokens
  for (const line of text.slice(0, maxTokens * CHARS_PER_TOKEN).split(/\r?\n/)) {
    const shown = `${/^ {0,8}/.exec(line)?.[0] ?? ""}${harmless(line)}`
    const cost = countTokens(`${shown}\n`)
    if (cost > left) {
      lines.push(shorten(shown, Math.floor(left * CHARS_PER_DEAR_TOKEN)), "(cut: too long)")
      break
    }
    left -= cost
    lines.push(shown)
  }
  const body = lines.join("\n").trimEnd()
  return body.trim() === "" ? "" : `<${tag}>\n${body}\n</${tag}>`
}

/** Without its brackets no tag opens or closes; quotes and arrows are left, because exact words count here. */
function harmless(line: string): string {
  return escapeXml(line).replaceAll("&quot;", '"').replaceAll("&gt;", ">")
}

// More than any text has on average: what is past that is cut anyway, and need not be counted.
const CHARS_PER_TOKEN = 20
// Fewer than any text has.
const CHARS_PER_DEAR_TOKEN = 0.5
