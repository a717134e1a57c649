import { isOpenDelegation } from "../../graph/lifecycle.ts"
import type { Place } from "../../graph/place.ts"
import type { GraphState } from "../../graph/state.ts"
import { type ScoredAnchor, scoreAnchors } from "../../knowledge/anchor/score.ts"
import { staleAnchors } from "../../knowledge/anchor/staleness.ts"
import type { EvidenceCheck } from "../../knowledge/memory/evidence.ts"
import type { FileLook } from "../../project/document/file-look.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import { shortId } from "../../shared/ids.ts"
import { shorten } from "../../shared/text/clean.ts"
import { element } from "../../shared/text/element.ts"
import type { Dropped, Item } from "./item.ts"
import { type Ranked, rankMems } from "./relevance.ts"

export interface KnowledgeInput {
  state: GraphState
  place: Place
  now: number
  evidence: EvidenceCheck
  files: FileLook
  /** For a subagent: only what has to do with its task. */
  isScoped: boolean
}

/** Open decisions, mems, false paths, anchors and delegations, each with its worth; and what was not even considered. */
export function knowledgeItems(input: KnowledgeInput): { items: Item[]; dropped: Dropped[] } {
  const { state, place, now, isScoped } = input
  const ranking = rankMems(state, place, now)
  const mems = isScoped ? ranking.best.filter(({ score }) => score >= SCOPED_SCORE) : ranking.best
  const anchors = scoreAnchors(state, place, now)
  const shownAnchors = choose(anchors, isScoped)
  const shown = shownAnchors.map(({ anchor }) => anchor)
  // Not marked yet, but to be told now. Only what is shown is worth a look at its files.
  const unmarked = new Set(staleAnchors(state, input.files, now, shown).map(({ anchor }) => anchor))
  const items = [
    ...ranking.openDecisions.map(decisionItem),
    ...mems.map((ranked) => memItem(ranked, input.evidence)),
    ...ranking.falsePaths.map(avoidItem),
    ...shownAnchors.map((scored) => anchorItem(scored, unmarked.has(scored.anchor))),
    ...(isScoped ? [] : delegationItems(state)),
  ]
  const dropped: Dropped[] = [
    some("mems", "stale", ranking.stale),
    some("mems", "invalidated", ranking.contaminated),
    some(
      "anchors",
      "less important",
      anchors.filter((scored) => !shownAnchors.includes(scored)).map(({ anchor }) => anchor.id),
    ),
    { section: "mems" as const, reason: "less relevant", count: ranking.outranked.mems, keys: [] },
    {
      section: "anti_patterns" as const,
      reason: "less relevant",
      count: ranking.outranked.falsePaths,
      keys: [],
    },
  ].filter(({ count }) => count > 0)
  return { items, dropped }
}

/** The critical ones before all others: the score goes down with age, and they must never be forgotten. */
function choose(anchors: readonly ScoredAnchor[], isScoped: boolean): ScoredAnchor[] {
  const isCritical = ({ anchor }: ScoredAnchor) => anchor.priority === "critical"
  const others = isScoped ? [] : anchors.filter((scored) => !isCritical(scored))
  const chosen = new Set([...anchors.filter(isCritical), ...others].slice(0, MAX_ANCHORS))
  return anchors.filter((scored) => chosen.has(scored))
}

function decisionItem(mem: Mem): Item {
  return {
    key: `mem ${mem.id}`,
    section: "decisions",
    worth: 720,
    reason: "an open decision",
    ...worded(WIDTHS, (max) => element("decision", { id: shortId(mem.id) }, shorten(mem.content, max))),
  }
}

function memItem({ mem, score, reason }: Ranked, evidence: EvidenceCheck): Item {
  const isUnverified = mem.evidence.some((each) => evidence(each) === false)
  const shown = {
    id: shortId(mem.id),
    kind: mem.kind,
    shelf: mem.shelf === "context" ? undefined : mem.shelf,
  }
  const marked = isUnverified ? { ...shown, unverified: "its file has changed" } : shown
  return {
    key: `mem ${mem.id}`,
    section: "mems",
    worth: 300 + score * (isUnverified ? 1.5 : 3),
    reason: isUnverified ? `${reason}; its evidence has changed` : reason,
    ...wordedOnce(isUnverified ? unverifiedTexts : memTexts, mem, WIDTHS, (max) =>
      element("mem", marked, shorten(mem.content, max)),
    ),
  }
}

/** What was tried and why it failed, short: enough not to try it again. */
function avoidItem({ mem, score, reason }: Ranked): Item {
  const words = mem.reason === null ? mem.content : `${shorten(mem.content, 120)} — failed: ${mem.reason}`
  return {
    key: `mem ${mem.id}`,
    section: "anti_patterns",
    worth: 560 + score,
    reason: `a false path, ${reason}`,
    ...worded([240, 120, 60], (max) => element("avoid", { id: shortId(mem.id) }, shorten(words, max))),
  }
}

function anchorItem({ anchor, score, isStale, reason }: ScoredAnchor, isUnmarked: boolean): Item {
  const stale = isStale || isUnmarked ? "yes" : undefined
  const shown = { key: anchor.key, priority: anchor.priority, stale }
  return {
    key: `anchor ${anchor.id}`,
    section: "anchors",
    // What must never be forgotten comes before any mem.
    worth: anchor.priority === "critical" ? 700 + score / 10 : 300 + score * 2.2,
    reason,
    ...worded(WIDTHS, (max) => element("anchor", shown, shorten(anchor.value, max))),
  }
}

function delegationItems(state: GraphState): Item[] {
  const open = [...state.delegation.values()].filter(isOpenDelegation).sort((a, b) => (a.id < b.id ? -1 : 1))
  return open.map((delegation) => {
    const title = state.task.get(delegation.task_id)?.title ?? ""
    const shown = { id: shortId(delegation.id), to: delegation.to_agent, status: delegation.status }
    return {
      key: `delegation ${delegation.id}`,
      section: "delegations" as const,
      worth: 480,
      reason: "under way",
      ...worded([120, 60], (max) => element("delegation", shown, shorten(title, max))),
    }
  })
}

function worded(widths: number[], render: (max: number) => string): Pick<Item, "levels" | "render"> {
  return { levels: widths.length, render: (level) => render(widths[level] ?? 0) }
}

function some(section: Dropped["section"], reason: string, ids: string[]): Dropped {
  return { section, reason, count: ids.length, keys: ids.slice(0, MAX_NAMED) }
}

/** The same for a record that is shown on turn after turn: records never change, so its fullest wording is kept. */
function wordedOnce(
  known: WeakMap<object, string>,
  record: object,
  widths: number[],
  render: (max: number) => string,
): Pick<Item, "levels" | "render"> {
  const { levels, render: anew } = worded(widths, render)
  const full = () => {
    const text = known.get(record) ?? anew(0)
    known.set(record, text)
    return text
  }
  return { levels, render: (level) => (level === 0 ? full() : anew(level)) }
}

const memTexts = new WeakMap<object, string>()
const unverifiedTexts = new WeakMap<object, string>()
const WIDTHS = [800, 200, 70]
const MAX_ANCHORS = 30
const MAX_NAMED = 20
// At least "about the same files": a subagent has no use for what is merely recent.
const SCOPED_SCORE = 28
