import { join } from "node:path"
import { startWorker } from "../child.ts"
import { fill } from "../fill/fill.ts"
import { memRecord } from "../sample-mem.ts"
import { type Contender, resettable } from "./contender.ts"

/** Lock, read, rewrite, unlock: safe on disk when it returns, as ours is. The same records, and none is checked. */
export async function startRewrite(mems: number, folder: string): Promise<Contender> {
  const file = join(folder, "mems.json")
  await fill("rewrite", file, mems)
  const { reset } = await resettable(file)
  const worker = await startWorker(new URL("./rewrite-worker.mjs", import.meta.url), [file])
  return {
    save: async (batch) => {
      await reset()
      return worker.ask<number[]>({ mems: batch.map(memRecord) })
    },
    stop: worker.stop,
  }
}
