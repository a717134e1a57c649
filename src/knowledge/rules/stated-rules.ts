import { readFileSync } from "node:fs"
import { join } from "node:path"
import { relationOf } from "./same-subject.ts"

/** Files in which a project tells every agent its rules. Their host shows them to the model already. */
const RULE_FILES = ["AGENTS.md", "CLAUDE.md", "GEMINI.md", ".cursorrules", ".github/copilot-instructions.md"]

/** True where one of the project's own instruction files says the same. */
export function isStatedInProject(dir: string, sentence: string): boolean {
  return RULE_FILES.some((file) =>
    linesOf(join(dir, file)).some((line) => relationOf(sentence, line) === "same"),
  )
}

function linesOf(path: string): string[] {
  let text: string
  try {
    text = readFileSync(path, "utf8").slice(0, MAX_CHARS)
  } catch {
    return [] // Most projects have one of these files at most.
  }
  return text
    .split(/\n|(?<=[.!?])\s+/)
    .map((line) => line.replace(/^\s*(?:[-*+]|\d+[.)])\s+/, "").trim())
    .filter((line) => line !== "")
}

const MAX_CHARS = 60_000
