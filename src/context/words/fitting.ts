import { isKnowledge, isRetiredMem } from "../../graph/lifecycle.ts"
import type { Hive } from "../../hive/hive.ts"
import { type Hit, recall } from "../../knowledge/recall/recall.ts"
import { recallFailed } from "../../knowledge/recall/recall-failed.ts"
import { shortId } from "../../shared/ids.ts"
import type { Recalled, RecalledMem, RecalledTask } from "../pack/recalled.ts"
import { isAsking } from "./asking.ts"
import { type Asker, clearHits, wordsReason } from "./clear-hit.ts"
import { subjectOf } from "./work-words.ts"

/** What a message or a task is clearly about: mems, hot or archived, and failed tasks of any plan. */
export async function fitting(hive: Hive, text: string, asker: Asker): Promise<Recalled[]> {
  if (subjectOf(text) === "") return []
  return [...(await fittingMems(hive, text, asker)), ...(await failedTasks(hive, text, asker))]
}

async function fittingMems(hive: Hive, text: string, asker: Asker): Promise<RecalledMem[]> {
  const hits = (await hitsFor(hive, text)).filter(({ mem }) => !isRetiredMem(mem))
  const found = clearHits(hits, asker, text).map((hit) => ({
    mem: hit.mem,
    reason: `${wordsReason(hit, asker)}${hit.replaces === null ? "" : "; it replaces the one that has them"}`,
  }))
  return [...found, ...partsOf(hive, found)]
}

/** What a mem is made of comes along with it, whatever its words. */
function partsOf({ store }: Hive, found: readonly RecalledMem[]): RecalledMem[] {
  const { state } = store.read()
  const known = new Set(found.map(({ mem }) => mem.id))
  const parts = found.flatMap(({ mem: { id } }) =>
    [...state.mem.by("parent_mem_id", id)]
      .filter((part) => isKnowledge(part) && !known.has(part.id))
      .slice(-MAX_PARTS)
      .map((mem) => ({ mem, reason: `part of ${shortId(id)}` })),
  )
  return parts.slice(0, MAX_PARTS)
}

/** Who asks why wants to know what was decided, or was tried: notes about the same thing must not fill all places. */
async function hitsFor(hive: Hive, text: string): Promise<Hit[]> {
  const subject = subjectOf(text)
  const hits = await recall(hive, subject, { limit: MAX_HITS })
  if (!isAsking(text) || hits.length < MAX_HITS) return hits
  const decided = await recall(hive, subject, { limit: DECIDED, kinds: ["decision", "false_path"] })
  const known = new Set(decided.map(({ mem }) => mem.id))
  const others = hits.filter(({ mem }) => !known.has(mem.id)).slice(0, MAX_HITS - decided.length)
  return [...decided, ...others].sort((a, b) => b.score - a.score)
}

async function failedTasks(hive: Hive, text: string, asker: Asker): Promise<RecalledTask[]> {
  const hits = await recallFailed(hive, subjectOf(text), MAX_FAILED)
  return clearHits(hits, asker, text).map((hit) => ({ task: hit.task, reason: wordsReason(hit, asker) }))
}

const MAX_HITS = 8
const DECIDED = 3
const MAX_FAILED = 3
const MAX_PARTS = 4
