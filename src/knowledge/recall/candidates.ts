import type { Ranking } from "./rank.ts"
import type { TermIndex } from "./term-index.ts"

export interface Candidate {
  doc: number
  score: number
  share: number
  /** What it belongs to, where that says more for it than its own words. */
  via?: { doc: number; tie: "linked to" | "same task as" }
  /** The one that matched, and that this one has replaced. */
  replaces?: number
}

/** What matched, with what belongs to it: linked mems, those of the same task, replacements. The best first. */
export function candidatesFor(
  index: TermIndex,
  { best, scoreOf, shareOf }: Ranking,
  isWanted: (doc: number) => boolean,
): Candidate[] {
  const found = new Map<number, Candidate>()
  const reach = (doc: number): Candidate | undefined => {
    if (!isWanted(doc)) return undefined
    const candidate = found.get(doc) ?? { doc, score: scoreOf(doc), share: shareOf(doc) }
    found.set(doc, candidate)
    return candidate
  }
  const lift = (doc: number, by: number, via: Candidate["via"]) => {
    const candidate = reach(doc)
    if (candidate === undefined || by <= (lifts.get(doc) ?? 0)) return
    candidate.score += by - (lifts.get(doc) ?? 0)
    lifts.set(doc, by)
    if (via !== undefined && by > scoreOf(doc)) candidate.via = via
  }
  const lifts = new Map<number, number>()
  for (const { doc } of best) reach(doc)
  for (const { doc, score } of best)
    for (const linked of take(index.linkedWith(doc), MAX_TIES))
      lift(linked, score * LINKED, { doc, tie: "linked to" })
  addTaskMates(index, best, found, lift)
  return [...replaced(index, found.values())].sort((a, b) => b.score - a.score || a.doc - b.doc)
}

/** A task whose mems match says something for each of them; of the best ones it also brings those that do not match. */
function addTaskMates(
  index: TermIndex,
  best: Ranking["best"],
  found: ReadonlyMap<number, Candidate>,
  lift: (doc: number, by: number, via: Candidate["via"]) => void,
): void {
  const tasks = new Map<string, number[]>()
  for (const { doc, score } of best) {
    const task = index.entry(doc)?.task
    if (task === null || task === undefined) continue
    const scores = tasks.get(task) ?? []
    tasks.set(task, scores)
    if (scores.length < TASK_SAMPLE) scores.push(score)
  }
  for (const [doc, candidate] of found) {
    const scores = tasks.get(index.entry(doc)?.task ?? "") ?? []
    candidate.score += (TASK * scores.reduce((sum, score) => sum + score, 0)) / TASK_SAMPLE
  }
  for (const { doc, score } of best.slice(0, BRING_MATES_OF)) {
    const task = index.entry(doc)?.task
    if (task === null || task === undefined) continue
    for (const mate of take(index.ofTask(task), MAX_TIES))
      if (!found.has(mate)) lift(mate, score * TASK, { doc, tie: "same task as" })
  }
}

/** Each in force, or flagged; of those that were replaced, the one that is in force now. */
function* replaced(index: TermIndex, candidates: Iterable<Candidate>): Iterable<Candidate> {
  const chosen = new Map<number, Candidate>()
  for (const candidate of candidates) {
    const entry = index.entry(candidate.doc)
    if (entry === undefined) continue
    const now = entry.status === "superseded" ? replacementOf(index, candidate.doc) : candidate.doc
    const score = candidate.score * (entry.isByRule ? BY_RULE : 1)
    const before = chosen.get(now)
    if (before !== undefined && before.score >= score) continue
    chosen.set(now, {
      ...candidate,
      doc: now,
      score,
      ...(now !== candidate.doc && { replaces: candidate.doc }),
    })
  }
  yield* chosen.values()
}

/** The last one of its line. One that nothing has replaced, though it is marked so, stands for itself. */
function replacementOf(index: TermIndex, doc: number): number {
  let last = doc
  for (let step = 0; step < MAX_LINE; step++) {
    const [next] = index.replacements(index.entry(last)?.id ?? "")
    if (next === undefined) return last
    last = next
    if (index.entry(last)?.status !== "superseded") return last
  }
  return last
}

function* take<T>(values: Iterable<T>, count: number): Iterable<T> {
  let taken = 0
  for (const value of values) {
    if (++taken > count) return
    yield value
  }
}

const LINKED = 0.4
const TASK = 0.15
const TASK_SAMPLE = 3
const BRING_MATES_OF = 3
const MAX_TIES = 50
const MAX_LINE = 50
// Nobody has confirmed them.
const BY_RULE = 0.8
