import type { Entry } from "../index/index-part.ts"
import type { WordIndex } from "../index/word-index.ts"
import type { Ranking } from "./rank.ts"

export interface Candidate {
  entry: Entry
  score: number
  share: number
  /** The match it belongs to, if that adds more to its score than its own words. */
  via: { entry: Entry; tie: Tie["tie"] } | null
  /** The mem that matched, which this one has replaced. */
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
  /** Part of the score that comes from the mem or task it belongs to. */
  lift: number
  via: Tie | null
}

interface Filter {
  isWanted: (doc: number) => boolean
  isShown: (entry: Entry) => boolean
  weightOf: (entry: Entry) => number
}

/** The matches and what belongs to them (linked mems, mems of the same task), each replaced mem as its replacement. Best first. */
export function candidatesFor(
  index: WordIndex,
  { best, scoreOf, shareOf }: Ranking,
  { isWanted, isShown, weightOf }: Filter,
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

  const chosen = new Map<Entry, Candidate>()
  for (const { doc, score, share, via } of found.values()) {
    const matched = index.entry(doc)
    if (matched === undefined) continue
    const viaEntry = via === null ? undefined : index.entry(via.doc)
    for (const entry of replacementsOf(index, matched)) {
      const total = score * (matched.isByRule ? BY_RULE : 1) * weightOf(entry)
      if (total <= (chosen.get(entry)?.score ?? 0) || !isShown(entry)) continue
      chosen.set(entry, {
        entry,
        score: total,
        share,
        via: via === null || viaEntry === undefined ? null : { entry: viaEntry, tie: via.tie },
        replaces: entry === matched ? null : matched,
      })
    }
  }
  // By id among equals: the numbering of the index must not show.
  return [...chosen.values()].sort((a, b) => b.score - a.score || (a.entry.id < b.entry.id ? -1 : 1))
}

function tieOf(entry: Entry | undefined, matched: Entry | undefined): Tie["tie"] {
  if (entry === undefined || matched === undefined) return "linked to"
  if (entry.parent === matched.id) return "part of"
  return matched.parent === entry.id ? "contains" : "linked to"
}

/** Mems of a task lift each other; the best matches also bring mems of their task that do not match. */
function addTaskMates(
  index: WordIndex,
  best: Ranking["best"],
  found: ReadonlyMap<number, Reached>,
  lift: (doc: number, by: number, via: Tie) => void,
): void {
  const scoresByTask = new Map<string, number[]>()
  for (const { doc, score } of best) {
    const task = index.entry(doc)?.task ?? null
    if (task === null) continue
    const scores = scoresByTask.get(task) ?? []
    scoresByTask.set(task, scores)
    if (scores.length < TASK_SAMPLE) scores.push(score)
  }
  for (const [doc, reached] of found) {
    const scores = scoresByTask.get(index.entry(doc)?.task ?? "") ?? []
    reached.score += (TASK * scores.reduce((sum, score) => sum + score, 0)) / TASK_SAMPLE
  }
  for (const { doc, score } of best.slice(0, BRING_MATES_OF)) {
    const task = index.entry(doc)?.task ?? null
    if (task === null) continue
    for (const mate of take(index.ofTask(task), MAX_TIES))
      if (!found.has(mate)) lift(mate, score * TASK, { doc, tie: "same task as" })
  }
}

/**
 * The latest versions of a mem: itself if nothing has replaced it. Two clones may each have replaced it: both count until
 * the conflict is settled. A replacement that was invalidated counts only if it is the only one.
 */
export function replacementsOf(index: WordIndex, replaced: Entry): Entry[] {
  const latest: Entry[] = []
  const line = new Set([replaced])
  for (const each of line) {
    const entries = [...index.replacements(each.id)].flatMap((doc) => index.entry(doc) ?? [])
    const valid = entries.filter(({ status }) => status !== "invalidated")
    const next = valid.length > 0 ? valid : entries.slice(0, 1)
    if (next.length === 0 || line.size >= MAX_LINE) latest.push(each)
    else for (const entry of next) line.add(entry)
  }
  // Empty for a cycle, which only a damaged file can hold.
  return latest.length > 0 ? latest : [replaced]
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
// Mems extracted by rule, which no person has confirmed.
const BY_RULE = 0.8
