import type { Mem } from "../../schemas/knowledge.ts"
import type { Store } from "../../store/store.ts"
import type { Entry } from "./term-index.ts"
import type { WordIndex } from "./word-index.ts"

/** Reads the mem of an entry; undefined where there is none any more. */
export type ReadMem = (entry: Entry) => { mem: Mem; isArchived: boolean } | undefined

/**
 * Reads from the graph, else from the archive; what was read there last is kept, because its files are slow. They are
 * opened for the first that is needed, and closed by `close`.
 */
export function memReader(store: Store, index: WordIndex): { read: ReadMem; close: () => void } {
  const { mem: hot } = store.read().state
  let archived: ReturnType<Store["archive"]["lookups"]> | undefined
  const inArchive = (id: string) => {
    archived ??= store.archive.lookups()
    // What was put away since they were opened is in other files.
    return archived.get(id) ?? store.archive.get(id)
  }
  const read: ReadMem = (entry) => {
    const here = hot.get(entry.id)
    const mem = here ?? kept.get(entry) ?? inArchive(entry.id)
    if (mem === undefined || mem.status === "purged") {
      // It was taken back.
      index.remove(entry.id)
      return undefined
    }
    if (here === undefined) keep(entry, mem)
    return { mem, isArchived: here === undefined }
  }
  return { read, close: () => archived?.close() }
}

function keep(entry: Entry, mem: Mem): void {
  if (kept.size >= MAX_KEPT) kept.clear()
  kept.set(entry, mem)
}

// By entry: a mem that changes gets a new one.
const kept = new Map<Entry, Mem>()
const MAX_KEPT = 500
