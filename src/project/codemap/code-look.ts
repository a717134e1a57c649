import type { CodeMap } from "./code-map.ts"
import type { ImportGraph } from "./graph/edges.ts"

/** What a line can say of a file. */
export interface CodeFacts {
  /** Names, in the order of the file. */
  offers: readonly string[]
  /** How many files import it directly. */
  dependents: number
  todos: number
}

/** null: the map has no such file; undefined: there is no map to ask. */
export type CodeLook = (path: string) => CodeFacts | null | undefined

/** Answers from a map at once, without looking at a file. */
export function lookInto({ files }: CodeMap, { dependents }: ImportGraph): CodeLook {
  return (path) => {
    const file = files.get(path)
    if (file === undefined) return null
    const names = (file.exports ?? []).map(({ name }) => name)
    return {
      offers: [...new Set(names)],
      dependents: dependents.get(path)?.length ?? 0,
      todos: (file.todos ?? []).filter(({ tag }) => tag !== "NOTE").length,
    }
  }
}
