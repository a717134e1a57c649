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
  const log = join(folder, ".hivemind", "graph", "log")
  const worker = await startWorker(new URL("./hive-worker.mjs", import.meta.url), [folder])
  let saved = 0
  return {
    save: async (mems) => {
      saved += mems.length
      return worker.ask<number[]>({ mems })
    },
    fold: async () => {
      const bytesPerSave = sizeOfLast(log) / saved
      const [ms = Number.NaN] = await worker.ask<number[]>({ fold: true })
      return { ms, savesPerFold: BYTES_BETWEEN_FOLDS / bytesPerSave }
    },
    stop: worker.stop,
  }
}

function sizeOfLast(folder: string): number {
  return statSync(join(folder, readdirSync(folder).sort().at(-1) ?? "")).size
}

// As in the store: a fold by itself waits for a MiB.
const BYTES_BETWEEN_FOLDS = 1 << 20
