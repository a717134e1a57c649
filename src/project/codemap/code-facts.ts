/** The facts of a file for the line of it in the block. */
export interface CodeFacts {
  /** Names of its exports, in the order of the file. */
  offers: readonly string[]
  /** How many files import it directly. */
  dependents: number
  todos: number
}

/** null: the map has no such file; undefined: there is no map. */
export type CodeFactsLookup = (path: string) => CodeFacts | null | undefined
