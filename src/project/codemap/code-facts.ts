export interface CodeFacts {
  offers: readonly string[]
  dependents: number
  todos: number
}

/** null: the map has no such file; undefined: there is no map. */
export type CodeFactsLookup = (path: string) => CodeFacts | null | undefined
