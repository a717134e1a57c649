import type { Ranking } from "./rank.ts"
import type { Entry } from "./term-index.ts"
import type { WordIndex } from "./word-index.ts"

export interface Candidate {
  entry: Entry
  score: number
  share: number
  /** What it belongs to, where that says more for it than its own words. */
  via: { entry: Entry; tie: Tie["tie"] } | null
  /** The one that matched, and that this one has replaced. */
  replaces: Entry | null
}

interface Tie {
  doc: number
  tie: "linked to" | "part of" | "contains" | "same task as"
}

interface Reached {
  doc: number
  score: number
  share: number
  /** How much of the score is for what it belongs to. */
  lift: number
  via: Tie | null
}

interface Wanted {
  isWanted: (doc: number) => boolean
  isShown: (entry: Entry) => boolean
  /** How much more than its words one says, for what was asked; 1 where that makes no difference. */
  favour: (entry: Entry) => number
}

/** What matched, with what belongs to it: linked mems, those of the same task, replacements. The best first. */
export function candidatesFor(
  index: WordIndex,
  { best, scoreOf, shareOf }: Ranking,
  { isWanted, ...wanted }: Wanted,
): Candidate[] {
  const found = new Map<number, Reached>()
  const reach = (doc: number): Reached | undefined => {
    if (!isWanted(doc)) return undefined
    const reached = found.get(doc) ?? { doc, score: scoreOf(doc), share: shareOf(doc), lift: 0, via: null }
    found.set(doc, reached)
    return reached
  }
  const lift = (doc: number, by: number, via: Tie) => {
    const reached = reach(doc)
    if (reached === undefined || by <= reached.lift) return
    reached.score += by - reached.lift
    reached.lift = by
    if (by > scoreOf(doc)) reached.via = via
  }
  for (const { doc } of best) reach(doc)
  for (const { doc, score } of best)
    for (const linked of take(index.linkedWith(doc), MAX_TIES))
      lift(linked, score * LINKED, { doc, tie: tieOf(index.entry(linked), index.entry(doc)) })
  addTaskMates(index, best, found, lift)
  return inForce(index, found.values(), wanted).sort(byScore)
}

/** Of equals always the same one first, however the index has numbered them. */
function byScore(a: Candidate, b: Candidate): number {
  return b.score - a.score || (a.entry.id < b.entry.id ? -1 : 1)
}

function tieOf(entry: Entry | undefined, matched: Entry | undefined): Tie["tie"] {
  if (entry === undefined || matched === undefined) return "linked to"
  if (entry.parent === matched.id) return "part of"
  return matched.parent === entry.id ? "contains" : "linked to"
}

/** A task whose mems match says something for each of them; of the best ones it also brings those that do not match. */
function addTaskMates(
  index: WordIndex,
  best: Ranking["best"],
  found: ReadonlyMap<number, Reached>,
  lift: (doc: number, by: number, via: Tie) => void,
): void {
  const tasks = new Map<string, number[]>()
  for (const { doc, score } of best) {
    const task = index.entry(doc)?.task
    if (task === null || task === undefined) continue
    const scores = tasks.get(task) ?? []
    tasks.set(task, scores)
    if (scores.length < TASK_SAMPLE) scores.push(score)
  }
  for (const [doc, reached] of found) {
    const scores = tasks.get(index.entry(doc)?.task ?? "") ?? []
    reached.score += (TASK * scores.reduce((sum, score) => sum + score, 0)) / TASK_SAMPLE
  }
  for (const { doc, score } of best.slice(0, BRING_MATES_OF)) {
    const task = index.entry(doc)?.task
    if (task === null || task === undefined) continue
    for (const mate of take(index.ofTask(task), MAX_TIES))
      if (!found.has(mate)) lift(mate, score * TASK, { doc, tie: "same task as" })
  }
}

/** Each that was not replaced; of those that were, what is in force now. */
function inForce(
  index: WordIndex,
  found: Iterable<Reached>,
  { isShown, favour }: Omit<Wanted, "isWanted">,
): Candidate[] {
  const chosen = new Map<Entry, Candidate>()
  for (const { doc, score, share, via } of found) {
    const matched = index.entry(doc)
    if (matched === undefined) continue
    const own = score * (matched.isByRule ? BY_RULE : 1)
    const of = via === null ? undefined : index.entry(via.doc)
    for (const entry of replacementsOf(index, matched)) {
      const worth = own * favour(entry)
      if (worth <= (chosen.get(entry)?.score ?? 0) || !isShown(entry)) continue
      chosen.set(entry, {
        entry,
        score: worth,
        share,
        via: via === null || of === undefined ? null : { entry: of, tie: via.tie },
        replaces: entry === matched ? null : matched,
      })
    }
  }
  return [...chosen.values()]
}

/**
 * The last ones of its line: itself, where nothing has replaced it. What replaces a mem says so: the mem itself may have been
 * put away before. Two clones may have replaced it, each in its own way: both hold until somebody settles it. One that was
 * taken back counts only where there is no other.
 */
export function replacementsOf(index: WordIndex, replaced: Entry): Entry[] {
  const last: Entry[] = []
  const line = new Set([replaced])
  for (const each of line) {
    const entries = [...index.replacements(each.id)].flatMap((doc) => index.entry(doc) ?? [])
    const valid = entries.filter(({ status }) => status !== "invalidated")
    const next = valid.length > 0 ? valid : entries.slice(0, 1)
    if (next.length === 0 || line.size >= MAX_LINE) last.push(each)
    else for (const entry of next) line.add(entry)
  }
  // A circle has no end; no write makes one, a file may hold one.
  return last.length > 0 ? last : [replaced]
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
