import type { CodeFacts, CodeLook } from "../../project/codemap/code-look.ts"
import type { Task } from "../../schemas/task.ts"
import { isGlob } from "../../shared/glob.ts"
import { element } from "../../shared/text/element.ts"
import { wordings } from "./fit.ts"
import type { Item } from "./item.ts"

/** What the code map knows of the files that the tasks at hand name: what they offer, who imports them, what is left to do. */
export function codeItems(tasks: readonly Task[], look: CodeLook): Item[] {
  const named = [...new Set(tasks.flatMap(filesNamedBy))]
  return named.flatMap((path) => singleCodeItem(path, look, "the task names it") ?? []).slice(0, MAX_FILES)
}

/** One file, as it would be said now; undefined where there is nothing to say of it, or nobody to ask. */
export function singleCodeItem(path: string, look: CodeLook, reason: string): Item | undefined {
  const facts = look(path)
  if (facts == null) return undefined
  return {
    kind: "code",
    id: path,
    role: "code",
    identity: { file: path },
    section: "chain",
    // Of all that the chain says, the first to give way.
    worth: 700,
    reason,
    ...wordings(OFFERED, (most) => element("code", shown(path, facts, most), "")),
  }
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

function filesNamedBy({ file, file_locks, title, expected_output }: Task): string[] {
  const inWords = `${title} ${expected_output}`.slice(0, MAX_CHARS).match(PATH) ?? []
  return [...(file === null ? [] : [file]), ...file_locks.filter((path) => !isGlob(path)), ...inWords]
}

const PATH = /(?<![\w@./-])[\w@-][\w@./-]{0,120}\.[a-z]{1,4}\b/g
const MAX_CHARS = 1000
const MAX_FILES = 3
const OFFERED = [8, 3]
