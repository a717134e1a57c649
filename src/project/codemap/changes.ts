import type { MappedFile } from "../../schemas/codemap.ts"
import type { Pausing } from "../../shared/slices.ts"

/** A file as it was; null where there was none. */
export type FileBefore = MappedFile | null

/**
 * What has to be remembered of the state before, for a diff: each file that is not as it was, with its first content. One
 * that has come back to it is as it was.
 */
export function* changesTo(
  known: ReadonlyMap<string, MappedFile>,
  now: ReadonlyMap<string, MappedFile>,
  before: ReadonlyMap<string, FileBefore>,
  // Nothing was known at all: the first scan has nothing to compare with.
  isFirst = known.size === 0,
): Pausing<{ before: Map<string, FileBefore>; isChanged: boolean }> {
  const kept = new Map(before)
  let isChanged = false
  for (const path of new Set([...known.keys(), ...now.keys()])) {
    yield
    const [old, file] = [known.get(path), now.get(path)]
    if (old === file) continue
    isChanged = true
    if (old?.hash === file?.hash || isFirst) continue
    if (!kept.has(path)) kept.set(path, old ?? null)
    if (kept.get(path)?.hash === file?.hash) kept.delete(path)
  }
  return { before: kept, isChanged }
}

/** What a file offers or leaves to be done, then and now. */
export interface FileDiff {
  path: string
  change: "added" | "removed" | "changed"
  exports_added: string[]
  exports_removed: string[]
  /** Same name, another signature. */
  exports_changed: string[]
  imports_added: string[]
  imports_removed: string[]
  todos_added: string[]
  todos_removed: string[]
}

/** The difference since the last scan, by file. */
export function diffSince(
  before: ReadonlyMap<string, FileBefore>,
  now: ReadonlyMap<string, MappedFile>,
): FileDiff[] {
  return [...before]
    .map(([path, old]) => fileDiff(path, old ?? undefined, now.get(path)))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
}

function fileDiff(path: string, old: MappedFile | undefined, now: MappedFile | undefined): FileDiff {
  const exports = between(old?.exports, now?.exports, ({ name }) => name)
  const imports = between(old?.imports, now?.imports, ({ spec }) => spec)
  const todos = between(old?.todos, now?.todos, ({ tag, text }) => `${tag} ${text}`)
  const [was, is] = [signaturesOf(old), signaturesOf(now)]
  const changed = [...is.keys()].filter((name) => was.has(name) && was.get(name) !== is.get(name))
  return {
    path,
    change: old === undefined ? "added" : now === undefined ? "removed" : "changed",
    exports_added: exports.added,
    exports_removed: exports.removed,
    exports_changed: changed,
    imports_added: imports.added,
    imports_removed: imports.removed,
    todos_added: todos.added,
    todos_removed: todos.removed,
  }
}

/** By name; those of overloads are one, in their order. */
function signaturesOf(file: MappedFile | undefined): Map<string, string> {
  const found = new Map<string, string>()
  for (const { name, signature = "" } of file?.exports ?? [])
    found.set(name, `${found.has(name) ? `${found.get(name)}\n` : ""}${signature}`)
  return found
}

function between<T>(old: readonly T[] = [], now: readonly T[] = [], keyOf: (each: T) => string) {
  const [was, is] = [new Set(old.map(keyOf)), new Set(now.map(keyOf))]
  return { added: [...is].filter((key) => !was.has(key)), removed: [...was].filter((key) => !is.has(key)) }
}
