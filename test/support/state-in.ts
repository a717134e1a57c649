import type { GraphState } from "../../src/graph/state.ts"
import type { Transaction } from "../../src/graph/transaction.ts"
import { systemSource } from "../../src/shared/ids.ts"
import { openFileStore } from "../../src/store/file-store.ts"
import { by } from "./records.ts"

export const stateIn = (dir: string): GraphState => openFileStore(dir, { source: systemSource }).read().state

export async function writeIn(dir: string, change: (tx: Transaction) => void): Promise<void> {
  const store = openFileStore(dir, { source: systemSource })
  await store.write(by, change)
  await store.close()
}
