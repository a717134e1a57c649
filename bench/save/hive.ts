import { readdirSync, statSync } from "node:fs"
import { cp } from "node:fs/promises"
import { join } from "node:path"
import { startWorker } from "../child.ts"
import type { Contender } from "./contender.ts"

export interface HiveContender extends Contender {
  /** What a fold costs, and how many saves share one. */
  fold: () => Promise<{ ms: number; savesPerFold: number }>
}

/** HiveMind: one fsynced line in the journal, through the built package in a process of its own. */
export async function startHive(filled: string, folder: string): Promise<HiveContender> {
  await cp(filled, folder, { recursive: true })
  const graph = join(folder, ".hivemind", "graph")
  const journal = join(graph, "journal.jsonl")
  const worker = await startWorker(new URL("./hive-worker.mjs", import.meta.url), [folder])
  let saved = 0
  return {
    save: async (mems) => {
      saved += mems.length
      return worker.ask<number[]>({ mems })
    },
    fold: async () => {
      const bytesPerSave = statSync(journal).size / saved
      const [ms = Number.NaN] = await worker.ask<number[]>({ fold: true })
      return { ms, savesPerFold: bytesBetweenFolds(graph) / bytesPerSave }
    },
    stop: worker.stop,
  }
}

// As in the store: a fold by itself waits for a MiB and for half the length of the snapshots.
function bytesBetweenFolds(graph: string): number {
  const snapshots = readdirSync(graph).filter((name) => name.endsWith(".json"))
  const bytes = snapshots.reduce((sum, name) => sum + statSync(join(graph, name)).size, 0)
  return Math.max(1 << 20, bytes / 2)
}
