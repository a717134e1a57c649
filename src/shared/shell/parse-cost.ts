/** True if the shell parser would take seconds, because a line has thousands of `{`, `(` and the like, or nests hundreds. */
export function isCostlyToParse(text: string): boolean {
  let work = 0
  for (const line of text.split("\n")) {
    for (const word of line.split(" ")) work += correctionWeight(word) ** 2
    work += (line.split("<").length - 1) ** 2
  }
  return work > MAX_WORK || isDeeplyNested(text)
}

function correctionWeight(word: string): number {
  let weight = 0
  for (const char of word) weight += char === "{" || char === "[" ? BRACKET_COST : PATTERN.has(char) ? 1 : 0
  return weight
}

function isDeeplyNested(text: string): boolean {
  const depth = new Map<string, number>()
  for (const [sign] of text.matchAll(/\$\{|\$\[|\(|\\\)|[}\])]/g)) {
    const end = ENDS.get(sign) ?? sign
    const change = ENDS.has(sign) ? 1 : -1
    depth.set(end, Math.max(0, (depth.get(end) ?? 0) + change))
    if ((depth.get(end) ?? 0) > MAX_NESTED) return true
  }
  return false
}

const PATTERN = new Set("$*?\"'`")
const ENDS = new Map([
  ["${", "}"],
  ["$[", "]"],
  ["(", ")"],
])
const BRACKET_COST = 4
const MAX_NESTED = 64
const MAX_WORK = 1_000_000
