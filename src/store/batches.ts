import type { Entry } from "../schemas/entry.ts"
import type { Op } from "../schemas/op.ts"

/** As many as make a write of usual length. */
export function* entriesOfAWrite(entries: Iterable<Entry>): Generator<Entry[]> {
  let batch: Entry[] = []
  let chars = 0
  for (const entry of entries) {
    batch.push(entry)
    chars += JSON.stringify(entry).length
    if (chars <= BATCH_CHARS) continue
    yield batch
    batch = []
    chars = 0
  }
  if (batch.length > 0) yield batch
}

/** As many as make a line of usual length. */
export function opsOfALine(ops: readonly Op[]): Op[] {
  const taken: Op[] = []
  let chars = 0
  for (const op of ops) {
    taken.push(op)
    chars += JSON.stringify(op).length
    if (chars > MANY_CHARS) break
  }
  return taken
}

const MANY_CHARS = 1 << 20
// Reading them back holds up the event loop.
const BATCH_CHARS = 1 << 16
