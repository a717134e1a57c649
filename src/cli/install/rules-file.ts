import { readFileSync, writeFileSync } from "node:fs"
import { isAbsolute, relative, resolve } from "node:path"
import { textWithRules } from "../../knowledge/memory/keep-rules.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import { HiveError } from "../../shared/error.ts"

/** Writes the rules into a file of the project that agents read, such as AGENTS.md. Returns its path. */
export function writeRulesFile(project: string, dir: string, name: string, rules: readonly Mem[]): string {
  const file = resolve(dir, name)
  const inside = relative(project, file)
  if (inside.startsWith("..") || isAbsolute(inside)) throw outside(file)
  writeFileSync(file, textWithRules(readIfThere(file), rules))
  return file
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, "utf8")
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return ""
    throw error
  }
}

function outside(file: string): HiveError {
  return new HiveError({
    code: "invalid_argument",
    what: "The rules were not written.",
    why: "The file is outside of the project.",
    use_instead: "Name a file of the project, such as AGENTS.md.",
    evidence: file,
  })
}
