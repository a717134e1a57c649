import { splitList } from "./brackets.ts"

export interface Parameters {
  names: ReadonlySet<string>
  /** `{ a, b }` and `[a]` have no name: a comment may give them one. */
  unnamed: number
}

/** The parameters between the brackets of a function's head. */
export function parametersIn(list: string): Parameters {
  const names = new Set<string>()
  let unnamed = 0
  for (const part of splitList(list)) {
    const found = PARAMETER.exec(part)
    // What a rest takes in may be described one by one, and so may what a pattern takes out.
    if (found?.[1] !== undefined) unnamed = MANY
    if (found?.[2] !== undefined) names.add(found[2])
    else {
      unnamed++
      for (const each of part.match(/[A-Za-z_$][\w$]*/g) ?? []) names.add(each)
    }
  }
  return { names, unnamed }
}

const PARAMETER =
  /^(?:@[\w.]+(?:\([^)]*\))?\s*)*(?:(?:public|private|protected|readonly|override)\s+)*(\.\.\.)?\s*([A-Za-z_$][\w$]*)/
const MANY = 100
