import type { CodeFacts, CodeFactsLookup } from "../../schemas/codemap.ts"
import type { Task } from "../../schemas/task.ts"
import { isGlob } from "../../shared/glob.ts"
import { element } from "../../shared/text/clean.ts"
import { type Item, itemOf, wordings } from "./item.ts"

export function codeItems(tasks: readonly Task[], look: CodeFactsLookup): Item[] {
  return [...new Set(tasks.flatMap(filesNamedBy))]
    .flatMap((path) => singleCodeItem(path, look, "the task names this file") ?? [])
    .slice(0, MAX_FILES)
}

export function singleCodeItem(path: string, look: CodeFactsLookup, reason: string): Item | undefined {
  const facts = look(path)
  if (facts == null) return undefined
  const item = itemOf("code", {
    id: path,
    identity: { file: path },
    words: "",
    widths: [],
    worth: 700,
    reason,
  })
  return { ...item, ...wordings(OFFERED, (most) => element("code", shown(path, facts, most))) }
}

function shown(path: string, { offers, dependents, todos }: CodeFacts, most: number) {
  const more = offers.length > most ? ` and ${offers.length - most} more` : ""
  return {
    file: path,
    offers: offers.length === 0 ? undefined : offers.slice(0, most).join(", ") + more,
    imported_by: `${dependents} files`,
    todos: todos === 0 ? undefined : String(todos),
  }
}

/** Paths with spaces are found only in `file` and `file_locks`, not in the task's words. */
function filesNamedBy({ file, file_locks, title, expected_output }: Task): string[] {
  const inWords = `${title} ${expected_output}`.slice(0, MAX_CHARS).match(PATH) ?? []
  return [...(file === null ? [] : [file]), ...file_locks.filter((path) => !isGlob(path)), ...inWords]
}

// Allows folders such as `(shop)` and `[id]` of web frameworks.
const PATH =
  /(?<![\p{L}\p{N}_@./-])(?:[\p{L}\p{N}_@-]|\([\w.-]+\)\/|\[[\w.-]+\])(?:[\p{L}\p{M}\p{N}_@./-]|\([\w.-]+\)|\[[\w.-]+\]){0,120}\.[a-z]{1,6}\b/gu
const MAX_CHARS = 1000
const MAX_FILES = 3
const OFFERED = [8, 3]
