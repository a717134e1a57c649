import { ALL } from "../../graph/indexes.ts"
import { isKnowledge } from "../../graph/lifecycle.ts"
import { isReplaced, standingOf } from "../../graph/mem-standing.ts"
import type { Place } from "../../graph/place.ts"
import { first } from "../../graph/record-map.ts"
import type { GraphState } from "../../graph/state.ts"
import { type ScoredAnchor, scoreAnchors } from "../../knowledge/anchor/score.ts"
import { staleAnchors } from "../../knowledge/anchor/staleness.ts"
import { changedEvidence, type EvidenceCheck } from "../../knowledge/memory/evidence.ts"
import type { FileLook } from "../../project/document/file-look.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import { shortId } from "../../shared/ids.ts"
import { shorten } from "../../shared/text/clean.ts"
import { element } from "../../shared/text/element.ts"
import { failedItem, failedItems } from "./failed-items.ts"
import { wordings } from "./fit.ts"
import { type Dropped, droppedItems, type Item, type ItemRef } from "./item.ts"
import type { Recalled, RecalledMem, RecalledTask } from "./recalled.ts"
import { limitsFor, type Ranked, rankMems } from "./relevance.ts"

export interface KnowledgeInput {
  state: GraphState
  place: Place
  now: number
  branch: string | null
  evidence: EvidenceCheck
  files: FileLook
  /** For a subagent: only what has to do with its task. */
  isScoped: boolean
  recalled: readonly Recalled[]
  archived: (id: string) => Mem | undefined
  /** In tokens, for all of the block. */
  budget: number
}

/** Open decisions, mems, false paths, anchors and delegations, each with its worth; and what was not even considered. */
export function knowledgeItems(input: KnowledgeInput): { items: Item[]; dropped: Dropped[] } {
  const { state, place, now, branch, isScoped } = input
  const limits = limitsFor(input.budget)
  const ranking = rankMems(state, place, now, branch, limits)
  const mems = isScoped ? ranking.best.filter(({ score }) => score >= SCOPED_SCORE) : ranking.best
  // A subagent is warned of what has to do with its task; the words of its task bring the rest.
  const falsePaths = isScoped
    ? ranking.falsePaths.filter(({ score }) => score >= SCOPED_SCORE)
    : ranking.falsePaths
  const anchors = scoreAnchors(state, place, now)
  const shownAnchors = chooseAnchors(anchors, isScoped, limits.anchors)
  const shown = shownAnchors.map(({ anchor }) => anchor)
  // Stale, but not marked so yet. Only what is shown is worth a look at its files.
  const unmarked = new Set(staleAnchors(state, input.files, now, shown).map(({ anchor }) => anchor))
  const recalled = recalledItems(input)
  const items = [
    ...recalled,
    ...ranking.openDecisions.map(decisionItem),
    ...mems.map((ranked) => memItem(ranked, input.evidence)),
    ...falsePaths.map(avoidItem),
    ...failedItems(state, place, isScoped),
    ...shownAnchors.map((scored) => anchorItem(scored, unmarked.has(scored.anchor))),
    ...(isScoped ? [] : delegationItems(state)),
  ]
  const hiddenAnchors = anchors.filter((scored) => !shownAnchors.includes(scored))
  const dropped = [
    droppedItems("mems", "stale", ranking.stale, memRef),
    droppedItems("mems", "invalidated", ranking.invalidated, memRef),
    droppedItems("anchors", "less important", hiddenAnchors, anchorRef),
    outranked(
      "mems",
      ranking.outranked.mems + ranking.best.length - mems.length - countBeyond(state, recalled, "mem", mems),
    ),
    outranked(
      "anti_patterns",
      ranking.outranked.falsePaths +
        ranking.falsePaths.length -
        falsePaths.length -
        countBeyond(state, recalled, "avoid", falsePaths),
    ),
    outranked("decisions", ranking.outranked.openDecisions),
    outranked("delegations", isScoped ? 0 : state.delegation.by("open", ALL).size - MAX_DELEGATIONS),
  ].filter(({ count }) => count > 0)
  return { items, dropped }
}

/** As they are by now: a mem may have been replaced or taken back since it was found, a task taken up again. */
function recalledItems(input: KnowledgeInput): Item[] {
  const items = new Map<string, Item>()
  for (const found of input.recalled) {
    const item = "mem" in found ? recalledMem(input, found) : recalledTask(input.state, found)
    if (item === undefined || items.has(item.id)) continue
    items.set(item.id, { ...item, worth: RECALLED_WORTH - items.size })
  }
  return [...items.values()]
}

function recalledMem({ state, archived, evidence }: KnowledgeInput, found: RecalledMem): Item | undefined {
  const mem = state.mem.get(found.mem.id) ?? archived(found.mem.id) ?? found.mem
  const ranked = { mem, score: 0, reason: found.reason }
  if (standingOf(mem) === "false path") return avoidItem(ranked)
  return isKnowledge(mem) && !isReplaced(state, mem.id) ? memItem(ranked, evidence) : undefined
}

function recalledTask(state: GraphState, { task: { id }, reason }: RecalledTask): Item | undefined {
  const task = state.task.get(id)
  return task?.status === "failed" ? failedItem(task, RECALLED_WORTH, `failed; ${reason}`) : undefined
}

/** How many of them are shown besides those that were chosen for the place, and are not left out. */
function countBeyond(
  state: GraphState,
  recalled: readonly Item[],
  role: Item["role"],
  chosen: readonly Ranked[],
): number {
  const ids = new Set(chosen.map(({ mem }) => mem.id))
  return recalled.filter((item) => item.role === role && state.mem.has(item.id) && !ids.has(item.id)).length
}

/** The critical ones before all others: the score goes down with age, and they must never be forgotten. */
function chooseAnchors(anchors: readonly ScoredAnchor[], isScoped: boolean, most: number): ScoredAnchor[] {
  const isCritical = ({ anchor }: ScoredAnchor) => anchor.priority === "critical"
  const others = isScoped ? [] : anchors.filter((scored) => !isCritical(scored))
  const chosen = new Set([...anchors.filter(isCritical), ...others].slice(0, most))
  return anchors.filter((scored) => chosen.has(scored))
}

function decisionItem(mem: Mem): Item {
  const identity = { id: shortId(mem.id) }
  return {
    kind: "mem",
    id: mem.id,
    role: "decision",
    identity,
    section: "decisions",
    worth: 720,
    reason: "an open decision",
    ...wordings(WIDTHS, (max) => element("decision", identity, shorten(mem.content, max))),
  }
}

function memItem({ mem, score, reason }: Ranked, evidence: EvidenceCheck): Item {
  const changed = changedEvidence(mem.evidence, evidence)
  const isUnverified = changed.length > 0
  return {
    kind: "mem",
    id: mem.id,
    role: "mem",
    identity: { id: shortId(mem.id) },
    section: "mems",
    worth: 300 + score * (isUnverified ? 1.5 : 3),
    reason: isUnverified ? `${reason}; unverified: ${shorten(changed.join(", "), 80)} has changed` : reason,
    ...keptWordings(isUnverified ? unverifiedTexts : memTexts, mem, WIDTHS, (max) =>
      memElement(mem, isUnverified, max),
    ),
  }
}

/** Apart from the item, because its text is mostly known: there are dozens of mems in every turn. */
function memElement({ id, kind, shelf, content }: Mem, isUnverified: boolean, max: number): string {
  const attributes = {
    id: shortId(id),
    kind,
    shelf: shelf === "context" ? undefined : shelf,
    unverified: isUnverified ? "its file has changed" : undefined,
  }
  return element("mem", attributes, shorten(content, max))
}

/** What was tried and why it failed, short: enough not to try it again. */
function avoidItem({ mem, score, reason }: Ranked): Item {
  const words = mem.reason === null ? mem.content : `${shorten(mem.content, 120)} — failed: ${mem.reason}`
  const identity = { id: shortId(mem.id) }
  return {
    kind: "mem",
    id: mem.id,
    role: "avoid",
    identity,
    section: "anti_patterns",
    // One that has nothing to do with the work is only good to know.
    worth: (score >= SCOPED_SCORE ? 560 : 300) + score,
    reason: `a false path, ${reason}`,
    ...wordings([240, 120, 60], (max) => element("avoid", identity, shorten(words, max))),
  }
}

function anchorItem({ anchor, score, isStale, reason }: ScoredAnchor, isUnmarked: boolean): Item {
  const stale = isStale || isUnmarked ? "yes" : undefined
  const identity = { key: anchor.key }
  const shown = { ...identity, priority: anchor.priority, stale }
  return {
    kind: "anchor",
    id: anchor.id,
    role: "anchor",
    identity,
    section: "anchors",
    // What must never be forgotten comes before any mem.
    worth: anchor.priority === "critical" ? 700 + score / 10 : 300 + score * 2.2,
    reason,
    ...wordings(WIDTHS, (max) => element("anchor", shown, shorten(anchor.value, max))),
  }
}

function delegationItems(state: GraphState): Item[] {
  const open = first(MAX_DELEGATIONS, state.delegation.by("open", ALL)).sort((a, b) => (a.id < b.id ? -1 : 1))
  return open.map((delegation): Item => {
    const title = state.task.get(delegation.task_id)?.title ?? ""
    const identity = { id: shortId(delegation.id) }
    const shown = { ...identity, to: delegation.to_agent, status: delegation.status }
    return {
      kind: "delegation",
      id: delegation.id,
      role: "delegation",
      identity,
      section: "delegations",
      worth: 480,
      reason: "under way",
      ...wordings([120, 60], (max) => element("delegation", shown, shorten(title, max))),
    }
  })
}

/** Counted only: nobody has looked at them one by one. */
function outranked(section: Dropped["section"], count: number): Dropped {
  return { section, reason: "less relevant", count, examples: [] }
}

function memRef({ id }: Mem): ItemRef {
  return { kind: "mem", id, role: "mem" }
}

function anchorRef({ anchor }: ScoredAnchor): ItemRef {
  return { kind: "anchor", id: anchor.id, role: "anchor" }
}

/** Wordings of a record that is shown turn after turn: a record object never changes, so its fullest wording is kept. */
function keptWordings(
  known: WeakMap<object, string>,
  record: object,
  widths: number[],
  render: (max: number) => string,
): Pick<Item, "levels" | "render"> {
  const { levels, render: anew } = wordings(widths, render)
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
// More than there could ever be room for.
const MAX_DELEGATIONS = 200
// Asked for just now: before all that is only near, after the work at hand.
const RECALLED_WORTH = 740
// At least "about the same files": a subagent has no use for what is merely recent.
const SCOPED_SCORE = 28
