import { onTestFinished } from "vitest"
import { leavingMems } from "../../src/graph/mem-status.ts"
import { openFileStore } from "../../src/store/file-store.ts"
import { memoryHive } from "./hive.ts"
import { tempProject } from "./temp-project.ts"

/** A hive in a folder of its own, with the clock and the ids of `memoryHive`. */
export const fileHive = async (): Promise<ReturnType<typeof memoryHive>> => hiveIn(await tempProject())

export function hiveIn(dir: string): ReturnType<typeof memoryHive> {
  const { source, ...hive } = memoryHive()
  const store = openFileStore(dir, { source, leaving: leavingMems })
  onTestFinished(() => store.close())
  return { ...hive, source, home: dir, dir, store }
}
