import { setImmediate as nextTurn } from "node:timers/promises"
import { isKnowledge, isRetiredMem } from "../../graph/lifecycle.ts"
import type { Hive } from "../../hive/hive.ts"
import { type Hit, recall, recallFailed } from "../../knowledge/recall/recall.ts"
import { asksAboutFault, asksAboutState, asksWhy, isAsking, REASONS } from "../../knowledge/words/question.ts"
import { shortId } from "../../shared/ids.ts"
import type { Recalled } from "../pack/knowledge-items.ts"
import { type Asker, strongMatches, wordsReason } from "./strong-match.ts"
import { subjectOf } from "./work-words.ts"

type RecalledMem = Extract<Recalled, { mem: unknown }>

/** The mems (hot or archived) and failed tasks that strongly match a message or a task. */
export async function recallForMessage(
  hive: Hive,
  text: string,
  from: "message" | "task",
): Promise<Recalled[]> {
  // Word lists and patterns are prepared on first use: each in its own turn of the event loop.
  await nextTurn()
  const subject = subjectOf(text)
  if (subject === "") return []
  await nextTurn()
  const asker = from === "message" ? askerOf(text) : from
  // Questions about state or faults search with the full text; everything else with the subject words only.
  const query = asker === "state" || asker === "fault" ? text : subject
  const mems = await fittingMems(hive, text, query, asker)
  const failed = strongMatches(await recallFailed(hive, query, MAX_FAILED), asker, text)
  return [...mems, ...failed.map((hit) => ({ task: hit.task, reason: wordsReason(hit, asker) }))]
}

function askerOf(text: string): Asker {
  if (asksAboutFault(text)) return "fault"
  return asksWhy(text) && asksAboutState(text) ? "state" : "message"
}

async function fittingMems(hive: Hive, text: string, query: string, asker: Asker): Promise<RecalledMem[]> {
  const reasons = await reasonsFor(hive, text, asker)
  const known = new Set(reasons.map(({ mem }) => mem.id))
  const isWhy = asker === "state" || (asker === "message" && asksWhy(text))
  const others = (await recall(hive, query, { limit: MAX_HITS })).filter(
    ({ mem }) => !isRetiredMem(mem) && !known.has(mem.id) && !(isWhy && REASONS.includes(mem.kind)),
  )
  const hits = [...reasons, ...strongMatches(others, asker, text, isNote)].slice(0, MAX_HITS)
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
 * Decisions and false paths for a question, so that notes about the same thing do not take all places. For a question why,
 * the words that any message has are a second query ("why did we change the order of the steps?"); a single such word counts
 * only if the question is about what "we" did, or about why something is so.
 */
async function reasonsFor(hive: Hive, text: string, asker: Asker): Promise<Hit[]> {
  if (asker === "task" || asker === "fault" || !isAsking(text)) return []
  const isWhy = asksWhy(text)
  const find = async (query: string) => {
    const hits = await recall(hive, query, { limit: MAX_REASONS, kinds: REASONS })
    return strongMatches(hits, asker === "message" && isWhy ? "why" : asker, text)
  }
  const bySubject = asker === "state" ? [] : await find(subjectOf(text))
  const mayBeOne = asker === "state" || OURS.test(text)
  const byAll = isWhy ? (await find(text)).filter(({ words }) => words.length > 1 || mayBeOne) : []
  const best = new Map([...byAll, ...bySubject].map((hit) => [hit.mem.id, hit]))
  // Alternating, so that neither query crowds out the other.
  const order = [...bySubject.flatMap((hit, n) => [hit, ...byAll.slice(n, n + 1)]), ...byAll]
  return [...new Set(order.map(({ mem }) => mem.id))]
    .flatMap((id) => best.get(id) ?? [])
    .filter(({ mem }) => !isRetiredMem(mem))
    .slice(0, MAX_REASONS)
}

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

const OURS = /\b(?:we|our|us|wir|unser\w*|uns|nous|notre)\b/i
const MAX_HITS = 8
const MAX_REASONS = 3
const MAX_FAILED = 3
const MAX_PARTS = 4
