import type { Hive } from "../../hive/hive.ts"
import type { SymbolRecord } from "../../schemas/codemap.ts"
import { type Pausing, runInSlices } from "../../shared/slices.ts"
import { codeMapOf } from "./code-map.ts"

export interface FoundSymbol extends SymbolRecord {
  file: string
}

/**
 * Functions, classes and other names of the code that a query names, exported ones first. A query of several words must
 * spell a name out as only code does (`parseToken`, `MAX_SIZE`): "load" in a sentence is a word. Empty where there is no map.
 */
export async function symbolsNamed(hive: Hive, query: string, limit = LIMIT): Promise<FoundSymbol[]> {
  const words = wordsIn(query)
  if (words.size === 0) return []
  const files = await codeMapOf(hive).known()
  return files === undefined ? [] : (await runInSlices(search(files, words))).slice(0, limit)
}

function wordsIn(query: string): Set<string> {
  const words = query.match(/[\p{L}_$][\p{L}\p{N}_$]*(?:\.[\p{L}_$][\p{L}\p{N}_$]*)?/gu) ?? []
  const isAlone = query.trim().split(/\s+/).length === 1
  const named = words.filter((word) => isAlone || (word.length >= MIN_CHARS && LIKE_CODE.test(word)))
  return new Set(named.map((word) => word.toLowerCase()))
}

function* search(
  files: Awaited<ReturnType<ReturnType<typeof codeMapOf>["known"]>>,
  words: ReadonlySet<string>,
): Pausing<FoundSymbol[]> {
  const exported: FoundSymbol[] = []
  const others: FoundSymbol[] = []
  for (const { path: file, exports = [], symbols = [] } of files?.values() ?? []) {
    yield
    for (const each of exports)
      if (each.kind !== "reexport" && isNamed(each.name, words)) exported.push({ file, ...each })
    for (const each of symbols) if (isNamed(each.name, words)) others.push({ file, ...each })
  }
  return [...exported, ...others]
}

function isNamed(name: string, words: ReadonlySet<string>): boolean {
  const lower = name.toLowerCase()
  return words.has(lower) || words.has(lower.slice(lower.lastIndexOf(".") + 1))
}

const LIKE_CODE = /[a-z][A-Z]|[A-Za-z]_[A-Za-z]|\w\.\w|[A-Za-z]\d/
const MIN_CHARS = 3
const LIMIT = 8
