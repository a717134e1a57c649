import { setImmediate as nextTurn } from "node:timers/promises"
import { isKnowledge, isRetiredMem } from "../../graph/lifecycle.ts"
import type { Hive } from "../../hive/hive.ts"
import { asksWhy, REASONS } from "../../knowledge/recall/asks-why.ts"
import { asksAboutState } from "../../knowledge/recall/fault.ts"
import { type Hit, recall } from "../../knowledge/recall/recall.ts"
import { recallFailed } from "../../knowledge/recall/recall-failed.ts"
import { shortId } from "../../shared/ids.ts"
import type { Recalled, RecalledMem, RecalledTask } from "../pack/recalled.ts"
import { asksAboutFault, isAsking } from "./asking.ts"
import { type Asker, clearHits, wordsReason } from "./clear-hit.ts"
import { subjectOf } from "./work-words.ts"

/** What a message or a task is clearly about: mems, hot or archived, and failed tasks of any plan. */
export async function fitting(hive: Hive, text: string, asker: "message" | "task"): Promise<Recalled[]> {
  // Words and patterns are made ready when they are first used: each in a turn of the event loop of its own.
  await nextTurn()
  if (subjectOf(text) === "") return []
  await nextTurn()
  const reading = asker === "message" ? readingOf(text) : asker
  return allFitting(hive, text, isCovered(reading) ? text : subjectOf(text), reading)
}

function readingOf(text: string): Asker {
  if (asksAboutFault(text)) return "fault"
  return asksWhy(text) && asksAboutState(text) ? "state" : "message"
}

/** How much of the question a mem covers says whether it is meant: all of its words count then. */
function isCovered(reading: Asker): boolean {
  return reading === "state" || reading === "fault"
}

async function allFitting(hive: Hive, text: string, subject: string, asker: Asker): Promise<Recalled[]> {
  const mems = await fittingMems(hive, text, subject, asker)
  return [...mems, ...(await failedTasks(hive, text, subject, asker))]
}

async function fittingMems(hive: Hive, text: string, subject: string, asker: Asker): Promise<RecalledMem[]> {
  const reasons = await reasonsFor(hive, text, asker)
  const known = new Set(reasons.map(({ mem }) => mem.id))
  // Of those that say why, what is meant has been found by then.
  const isWhy = asker === "state" || (asker === "message" && asksWhy(text))
  const others = (await recall(hive, subject, { limit: MAX_HITS })).filter(
    ({ mem }) => !isRetiredMem(mem) && !known.has(mem.id) && !(isWhy && REASONS.includes(mem.kind)),
  )
  const hits = [...reasons, ...clearHits(others, asker, text, isNote)].slice(0, MAX_HITS)
  const found = hits.map((hit) => ({
    mem: hit.mem,
    reason: `${wordsReason(hit, asker)}${hit.replaces === null ? "" : "; it replaces the one that has them"}`,
  }))
  return [...found, ...partsOf(hive, found)]
}

function isNote({ mem }: Hit): boolean {
  return mem.kind !== "pattern" && !REASONS.includes(mem.kind)
}

/**
 * Who asks wants to know what was decided, or was tried: notes about the same thing must not fill all places. Who asks why
 * means the best of them also where it has little of what was said. Where the subject alone finds too little, the words that any message has count, too:
 * "why did we change the order of the steps?"; one alone only of somebody who asks what "we" have done, or why something is so.
 */
async function reasonsFor(hive: Hive, text: string, asker: Asker): Promise<Hit[]> {
  if (asker === "task" || asker === "fault" || !isAsking(text)) return []
  const isWhy = asksWhy(text)
  const find = async (words: string) =>
    clearHits(
      await recall(hive, words, { limit: MAX_REASONS, kinds: REASONS }),
      asker === "message" && isWhy ? "why" : asker,
      text,
    )
  const bySubject = isCovered(asker) ? [] : await find(subjectOf(text))
  const mayBeOne = asker === "state" || OURS.test(text)
  const byAll = isWhy ? (await find(text)).filter(({ words }) => words.length > 1 || mayBeOne) : []
  const best = new Map([...byAll, ...bySubject].map((hit) => [hit.mem.id, hit]))
  // In turns: the best by all words is not to be crowded out by what has a single word of the subject.
  const order = bySubject.flatMap((hit, n) => [hit, ...byAll.slice(n, n + 1)])
  const ids = [...order, ...byAll].map(({ mem }) => mem.id)
  return [...new Set(ids)]
    .flatMap((id) => best.get(id) ?? [])
    .filter(({ mem }) => !isRetiredMem(mem))
    .slice(0, MAX_REASONS)
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

async function failedTasks(hive: Hive, text: string, subject: string, asker: Asker): Promise<RecalledTask[]> {
  const hits = await recallFailed(hive, subject, MAX_FAILED)
  return clearHits(hits, asker, text).map((hit) => ({ task: hit.task, reason: wordsReason(hit, asker) }))
}

const OURS = /\b(?:we|our|us|wir|unser\w*|uns|nous|notre)\b/i
const MAX_HITS = 8
const MAX_REASONS = 3
const MAX_FAILED = 3
const MAX_PARTS = 4
