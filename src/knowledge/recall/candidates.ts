import { first } from "../../graph/record-map.ts"
import type { Entry } from "../index/index-part.ts"
import type { WordIndex } from "../index/word-index.ts"
import type { Ranking } from "./rank.ts"

export interface Candidate {
  entry: Entry
  score: number
  share: number
  /** The match that led to this mem, if it adds more to the score than the mem's own words. */
  via: { entry: Entry; tie: Tie["tie"] } | null
  /** The older mem that matched, if this mem has replaced it. */
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
  /** The part of the score that comes from a related match. */
  lift: number
  via: Tie | null
}

interface Filter {
  isWanted: (doc: number) => boolean
  isShown: (entry: Entry) => boolean
  weightOf: (entry: Entry) => number
}

/** Returns matches and related mems (linked, or of the same task), best first. A replaced mem leads to its replacement. */
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
    for (const linked of first(MAX_TIES, index.linkedWith(doc)))
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
  // Equal scores are sorted by id: the numbers that mems have in the index are not the same in every process.
  return [...chosen.values()].sort((a, b) => b.score - a.score || (a.entry.id < b.entry.id ? -1 : 1))
}

function tieOf(entry: Entry | undefined, matched: Entry | undefined): Tie["tie"] {
  if (entry === undefined || matched === undefined) return "linked to"
  if (entry.parent === matched.id) return "part of"
  return matched.parent === entry.id ? "contains" : "linked to"
}

/** Raises the scores of matches that share a task, and adds more mems of the best matches' tasks. */
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
    for (const mate of first(MAX_TIES, index.ofTask(task)))
      if (!found.has(mate)) lift(mate, score * TASK, { doc, tie: "same task as" })
  }
}

/** The latest replacements of a mem: several if clones replaced it separately, invalidated ones only if there are no others. */
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
  // Only in a damaged file can mems replace each other in a cycle; then there is no latest one.
  return latest.length > 0 ? latest : [replaced]
}

const LINKED = 0.4
const TASK = 0.15
const TASK_SAMPLE = 3
const BRING_MATES_OF = 3
const MAX_TIES = 50
const MAX_LINE = 50
const BY_RULE = 0.8
