/** What a tool of ours has refused with, out of the lines that people and models read. */
export function refusalIn(text = ""): Record<string, string> {
  const [, what, why, use_instead, evidence, code] = LINES.exec(text) ?? []
  if (code === undefined) throw new Error(`no refusal: ${text}`)
  return {
    status: "error",
    code,
    what: what ?? "",
    why: why ?? "",
    use_instead: use_instead ?? "",
    evidence: evidence ?? "",
  }
}

const LINES = /^WHAT: (.*)\nWHY: (.*)\nUSE INSTEAD: (.*)\nEVIDENCE: (.*)\nCODE: (\w+)/s
