import { escapeXml, shorten } from "../../shared/text/clean.ts"
import { countTokens } from "../../shared/text/tokens.ts"

/** Stored text as data in a prompt, inside its own tag: no line can open or close a tag, and its tokens are bounded. */
export function quoted(tag: string, text: string, maxTokens: number): string {
  const lines: string[] = []
  let left = maxTokens
  for (const line of text.slice(0, maxTokens * MAX_CHARS_PER_TOKEN).split(/\r?\n/)) {
    const shown = `${/^ {0,8}/.exec(line)?.[0] ?? ""}${withoutTags(line)}`
    const cost = countTokens(`${shown}\n`)
    if (cost > left) {
      lines.push(shorten(shown, Math.floor(left * MIN_CHARS_PER_TOKEN)), "(cut: too long)")
      break
    }
    left -= cost
    lines.push(shown)
  }
  const body = lines.join("\n").trimEnd()
  return body.trim() === "" ? "" : `<${tag}>\n${body}\n</${tag}>`
}

/** Escapes what a tag needs; quotes and arrows stay, because exact wording counts here. */
function withoutTags(line: string): string {
  return escapeXml(line).replaceAll("&quot;", '"').replaceAll("&gt;", ">")
}

// More than any text has on average. Text past that is cut anyway, so it need not be counted.
const MAX_CHARS_PER_TOKEN = 20
// Fewer than any text has, so that the cut line surely fits.
const MIN_CHARS_PER_TOKEN = 0.5
