import { linksFrom } from "../../graph/links.ts"
import { type GraphState, recordsOf } from "../../graph/state.ts"
import { draftOps, type Transaction } from "../../graph/transaction.ts"
import { type Op, recordIdOf } from "../../schemas/op.ts"
import { type AnyRecord, type Kind, kinds } from "../../schemas/records.ts"

/** A record that only old files have. */
export interface OldOnly {
  kind: Kind
  record: AnyRecord
}

interface Stage {
  /** The graph with what old files hold. */
  state: GraphState
  isOldOnly: (kind: Kind, id: string) => boolean
  isArchived: (id: string) => boolean
}

/**
 * Tries a write on the graph and the old files together, and changes nothing: tells which records of old files it looks at,
 * changes or leans on, with those that these lean on, each after what it leans on. Throws what the write would.
 */
export function rehearse<T>(
  { state, isOldOnly, isArchived }: Stage,
  build: (tx: Transaction) => T,
): { needed: OldOnly[]; ops: readonly Op[]; result: T } {
  const needed = new Map<string, OldOnly>()
  const need = (kind: Kind, id: string | null): void => {
    if (id === null || needed.has(id) || !isOldOnly(kind, id)) return
    const record = recordsOf(state, kind).get(id)
    if (record === undefined) return
    const own = { kind, record }
    // Held against a circle; it takes its place behind what it leans on.
    needed.set(id, own)
    needLinks(kind, record)
    needed.delete(id)
    needed.set(id, own)
  }
  const needLinks = (kind: Kind, record: AnyRecord): void => {
    for (const { to, ids } of linksFrom(kind))
      for (const id of ids(record)) for (const each of to === "any" ? kinds : [to]) need(each, id)
  }
  const { ops, result } = draftOps(state, isArchived, (tx) => build(watched(tx, need)))
  const written = new Map<string, AnyRecord>()
  for (const op of ops) {
    if (!("kind" in op)) continue
    const id = recordIdOf(op)
    need(op.kind, id)
    const before = written.get(id) ?? recordsOf(state, op.kind).get(id)
    const record =
      op.op === "add" ? op.record : ({ ...before, ...(op.op === "set" ? op.to : {}) } as AnyRecord)
    written.set(id, record)
    if (op.op === "add" || op.op === "set") needLinks(op.kind, record)
  }
  return { needed: [...needed.values()], ops, result }
}

/** Does a write only count, and look at no record for that? */
export function isOnlyCounting(
  state: GraphState,
  isArchived: (id: string) => boolean,
  build: (tx: Transaction) => unknown,
): boolean {
  let hasLooked = false
  const look = () => {
    hasLooked = true
  }
  const asked = (tx: Transaction): Transaction => ({
    ...watched(tx, look),
    all(kind) {
      look()
      return tx.all(kind)
    },
    by(kind, index, key) {
      look()
      return tx.by(kind, index, key)
    },
  })
  try {
    const { ops } = draftOps(state, isArchived, (tx) => build(asked(tx)))
    return !hasLooked && ops.every((op) => !("kind" in op))
  } catch {
    return false // It needs records, which may be in the old files.
  }
}

/** What it reads decides what it writes. */
function watched(tx: Transaction, need: (kind: Kind, id: string) => void): Transaction {
  function* noting<T extends { id: string }>(kind: Kind, records: Iterable<T>): Generator<T> {
    for (const record of records) {
      need(kind, record.id)
      yield record
    }
  }
  return {
    ...tx,
    get(kind, id) {
      need(kind, id)
      return tx.get(kind, id)
    },
    need(kind, id) {
      need(kind, id)
      return tx.need(kind, id)
    },
    all: (kind) => noting(kind, tx.all(kind)),
    by: (kind, index, key) => noting(kind, tx.by(kind, index, key)),
  }
}
