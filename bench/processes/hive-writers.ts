import { fileURLToPath } from "node:url"
import { systemSource } from "../../src/shared/ids.ts"
import { openFileStore } from "../../src/store/file-store.ts"
import { findBun } from "../../test/support/bun.ts"
import { runToEnd } from "../child.ts"

export interface Outcome {
  wanted: number
  /** Acknowledged to its writer, but not there afterwards. */
  lost: number
  /** Refused: the writer got an error. */
  rejected: number
  seconds: number
}

/** Processes on Node and Bun in turn, writing to one project at once; every fourth write takes the lock. */
export async function raceHives(project: string, processes: number, writes: number): Promise<Outcome> {
  const runtimes = Array.from({ length: processes }, (_, n) => (n % 2 === 0 ? process.execPath : findBun()))
  const started = performance.now()
  const ended = await Promise.all(
    runtimes.map((runtime) => runToEnd(runtime, [WRITER, project, String(writes), String(FOLD_AFTER_BYTES)])),
  )
  const seconds = (performance.now() - started) / 1000
  const acknowledged = ended.flatMap(({ out }) => out.split("\n").filter((line) => line !== ""))
  const store = openFileStore(project, { source: systemSource })
  const { state } = store.read()
  const isThere = (line: string) => {
    const [kind, id = ""] = line.split(" ")
    return kind === "plan" ? state.plan.has(id) : state.mem.has(id)
  }
  const lost = acknowledged.filter((line) => !isThere(line)).length
  await store.close()
  return { wanted: processes * writes, lost, rejected: processes * writes - acknowledged.length, seconds }
}

const WRITER = fileURLToPath(new URL("../../test/support/record-writer.mjs", import.meta.url))
// So low that folds run between the writes all the time.
const FOLD_AFTER_BYTES = 8000
