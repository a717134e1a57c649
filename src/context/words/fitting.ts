import { isRetiredMem } from "../../graph/lifecycle.ts"
import type { Hive } from "../../hive/hive.ts"
import { recall } from "../../knowledge/recall/recall.ts"
import { recallFailed } from "../../knowledge/recall/recall-failed.ts"
import type { Recalled, RecalledMem, RecalledTask } from "../pack/recalled.ts"
import { type Asker, clearHits, wordsReason } from "./clear-hit.ts"
import { subjectOf } from "./work-words.ts"

/** What a message or a task is clearly about: mems, hot or archived, and failed tasks of any plan. */
export async function fitting(hive: Hive, text: string, asker: Asker): Promise<Recalled[]> {
  const subject = subjectOf(text)
  if (subject === "") return []
  return [...(await fittingMems(hive, subject, asker)), ...(await failedTasks(hive, subject, asker))]
}

async function fittingMems(hive: Hive, subject: string, asker: Asker): Promise<RecalledMem[]> {
  const hits = (await recall(hive, subject, { limit: MAX_HITS })).filter(({ mem }) => !isRetiredMem(mem))
  return clearHits(hits, asker).map((hit) => ({
    mem: hit.mem,
    reason: `${wordsReason(hit, asker)}${hit.replaces === null ? "" : "; it replaces the one that has them"}`,
  }))
}

async function failedTasks(hive: Hive, subject: string, asker: Asker): Promise<RecalledTask[]> {
  const hits = await recallFailed(hive, subject, MAX_FAILED)
  return clearHits(hits, asker).map((hit) => ({ task: hit.task, reason: wordsReason(hit, asker) }))
}

const MAX_HITS = 8
const MAX_FAILED = 3
