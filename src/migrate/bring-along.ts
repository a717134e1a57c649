import { linksFrom } from "../graph/links.ts"
import { recordsOf } from "../graph/state.ts"
import type { Transaction } from "../graph/transaction.ts"
import { type AnyRecord, type Kind, kinds } from "../schemas/records.ts"
import type { Store } from "../store/store.ts"
import type { Taken } from "./found.ts"

/** A dry run is not on the hive itself: what is there and is leaned on is put before it, with what that leans on. */
export function bringAlong(tx: Transaction, store: Store, kind: Kind, id: string): AnyRecord | undefined {
  const record = recordsOf(store.read().state, kind).get(id)
  if (record !== undefined && tx.get(kind, id) === undefined) {
    tx.add(kind, record as never)
    bringLinked(tx, store, kind, record)
  }
  return tx.get(kind, id)
}

/** The same for what a new record leans on. */
export function bringLinked(
  tx: Transaction,
  store: Store,
  kind: Kind,
  record: AnyRecord | Taken["record"],
): void {
  for (const { to, ids } of linksFrom(kind))
    for (const linked of ids(record as AnyRecord))
      for (const each of to === "any" ? kinds : [to]) if (linked !== null) bringAlong(tx, store, each, linked)
}
