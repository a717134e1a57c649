import type { GraphState } from "../../src/graph/state.ts"
import type { Transaction } from "../../src/graph/transaction.ts"
import { systemSource } from "../../src/shared/ids.ts"
import { openFileStore } from "../../src/store/file-store.ts"
import { by } from "./records.ts"

/** The graph of a project as it is on the disk. */
export function stateIn(dir: string): GraphState {
  return openFileStore(dir, { source: systemSource }).read().state
}

/** Writes to the graph of a project as another process would. */
export async function writeIn(dir: string, change: (tx: Transaction) => void): Promise<void> {
  const store = openFileStore(dir, { source: systemSource })
  await store.write(by, change)
  await store.close()
}
