import { splitList } from "./brackets.ts"

export interface Parameters {
  names: ReadonlySet<string>
  /** `{ a, b }` and `[a]` have no name: a comment may give them one. */
  unnamed: number
  /** Where their list stands, without its brackets. */
  from: number
  to: number
}

/** The parameters in the list of a function's head. */
export function parametersIn(code: string, from: number, to: number): Parameters {
  const names = new Set<string>()
  let unnamed = 0
  for (const part of splitList(code.slice(from, to))) {
    const found = PARAMETER.exec(part)
    // What a rest takes in may be described one by one, and so may what a pattern takes out.
    if (found?.[1] !== undefined) unnamed = MANY
    if (found?.[2] !== undefined) names.add(found[2])
    else {
      unnamed++
      for (const each of part.match(/[A-Za-z_$][\w$]*/g) ?? []) names.add(each)
    }
  }
  return { names, unnamed, from, to }
}

const PARAMETER =
  /^(?:@[\w.]+(?:\([^)]*\))?\s*)*(?:(?:public|private|protected|readonly|override)\s+)*(\.\.\.)?\s*([A-Za-z_$][\w$]*)/
const MANY = 100
