/** A file of Vue or Svelte: a page with scripts in it. */
export function isComponent(path: string): boolean {
  return /\.(?:vue|svelte)$/i.test(path)
}

/** Its scripts as one, each in its place: all else is blank, so that lines stay what they were. */
export function scriptsOf(text: string): { text: string; ending: "js" | "jsx" | "ts" | "tsx" } {
  let code = ""
  let ending: ReturnType<typeof scriptsOf>["ending"] = "js"
  let at = 0
  const begin = new RegExp(BEGIN)
  for (let found = begin.exec(text); found !== null; found = begin.exec(text)) {
    const isNote = found[0] === "<!--"
    const [close, length] = isNote
      ? [text.indexOf("-->", found.index), 3]
      : [endOfScript(text, begin.lastIndex), 0]
    if (close < 0) break
    if (!isNote) {
      const [, language] = LANGUAGE.exec(found[1] ?? "") ?? []
      ending = ENDINGS.find((each) => each === language) ?? ending
      code += blank(text.slice(at, begin.lastIndex)) + text.slice(begin.lastIndex, close)
      at = close
    }
    begin.lastIndex = close + length
  }
  return { text: code + blank(text.slice(at)), ending }
}

function endOfScript(text: string, from: number): number {
  const close = /<\/script\s*>/gi
  close.lastIndex = from
  return close.exec(text)?.index ?? -1
}

function blank(text: string): string {
  return text.replace(/[^\n]+/g, (line) => " ".repeat(line.length))
}

// An attribute may hold the sign that ends a tag: `generic="T extends Map<string, T>"`.
const BEGIN = /<!--|<script\b((?:"[^"]{0,1000}"|'[^']{0,1000}'|[^>"']){0,200})>/gi
const LANGUAGE = /\blang\s*=\s*["']?(\w+)/
const ENDINGS = ["js", "jsx", "ts", "tsx"] as const
