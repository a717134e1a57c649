import type { CodeFacts, CodeFactsLookup } from "../../schemas/codemap.ts"
import type { Task } from "../../schemas/task.ts"
import { isGlob } from "../../shared/glob.ts"
import { element } from "../../shared/text/clean.ts"
import { type Item, wordings } from "./item.ts"

/** Code map facts about files named by the tasks at hand: exports, importers, todos. */
export function codeItems(tasks: readonly Task[], look: CodeFactsLookup): Item[] {
  const named = [...new Set(tasks.flatMap((task) => filesNamedBy(task, look)))]
  return named.flatMap((path) => singleCodeItem(path, look, "the task names it") ?? []).slice(0, MAX_FILES)
}

export function singleCodeItem(path: string, look: CodeFactsLookup, reason: string): Item | undefined {
  const facts = look(path)
  if (facts == null) return undefined
  return {
    kind: "code",
    id: path,
    role: "code",
    identity: { file: path },
    section: "chain",
    // The first item of the chain to give way.
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

function filesNamedBy({ file, file_locks, title, expected_output }: Task, look: CodeFactsLookup): string[] {
  const inWords = pathsIn(`${title} ${expected_output}`.slice(0, MAX_CHARS), look)
  return [...(file === null ? [] : [file]), ...file_locks.filter((path) => !isGlob(path)), ...inWords]
}

/** Paths in a text, in quotes or with blanks in them too: then the longest run of words that is a file. */
function pathsIn(text: string, look: CodeFactsLookup): string[] {
  const words = text.split(/\s+/)
  return words.flatMap((word, last) => {
    if (!ENDING.test(word)) return []
    for (let first = Math.max(0, last - MAX_BLANKS); first <= last; first++) {
      const whole = words.slice(first, last + 1).join(" ")
      const begun = whole.replace(AFTER, "")
      const known = [whole, begun, begun.replace(QUOTES, ""), begun.replace(BEFORE, "")].find(
        (path) => look(path) != null,
      )
      if (known !== undefined) return [known]
    }
    return word.match(PATH) ?? []
  })
}

const PATH = /(?<![\p{L}\p{N}_@./-])[\p{L}\p{N}_@-][\p{L}\p{M}\p{N}_@./-]{0,120}\.[a-z]{1,6}\b/gu
const ENDING = /\.[a-z]{1,6}(?![\w])/
const AFTER = /(?::\d+)?["'`“”‘’»)\]}>.,;:!?]*$/u
const QUOTES = /^["'`“”„‘’«]+/u
const BEFORE = /^["'`“”„‘’«([{<]+/u
const MAX_BLANKS = 4
const MAX_CHARS = 1000
const MAX_FILES = 3
const OFFERED = [8, 3]
