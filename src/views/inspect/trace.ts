import type { Hive } from "../../hive/hive.ts"
import { oneLine } from "../../shared/text/clean.ts"
import { briefTrace } from "../trace/brief.ts"
import { trace } from "../trace/trace.ts"

/** A trace for a reader with little room: something of every source, in the order of time. */
export async function inspectTrace(hive: Hive, stamp: string) {
  const { chain, left_out, notes } = briefTrace(await trace(hive, stamp))
  return {
    hits: chain.map(oneLine),
    ...(left_out > 0 ? { more: `${left_out}, see \`hivemind trace ${stamp}\`` } : {}),
    ...(notes.length > 0 ? { notes } : {}),
  }
}
