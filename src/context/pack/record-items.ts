import { ALL, levelOf } from "../../graph/indexes.ts"
import { describeConflict, isOpenConflict, openConflicts } from "../../graph/open-conflicts.ts"
import type { Place } from "../../graph/place.ts"
import { first } from "../../graph/record-map.ts"
import type { GraphState } from "../../graph/state.ts"
import { contentForModel } from "../../knowledge/memory/by-rule.ts"
import { changedEvidence, type EvidenceCheck } from "../../knowledge/memory/evidence.ts"
import type { Conflict } from "../../schemas/conflict.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import type { Task } from "../../schemas/task.ts"
import { shortId } from "../../shared/ids.ts"
import { element, shorten } from "../../shared/text/clean.ts"
import { countTokens } from "../../shared/text/tokens.ts"
import { callText } from "../../shared/tool-names.ts"
import type { Severity, Warning } from "../../watch/signals.ts"
import { describeFailed, descriptionHash } from "./description.ts"
import { type Dropped, droppedItems, type Item, type ItemRef, wordings } from "./item.ts"
import type { Ranked } from "./relevance.ts"

export function memItem({ mem, score, reason }: Ranked, evidence: EvidenceCheck): Item {
  const changed = changedEvidence(mem.evidence, evidence)
  const isUnverified = changed.length > 0
  const { id, kind, shelf } = mem
  const attributes = {
    id: shortId(id),
    kind,
    shelf: shelf === "context" ? undefined : shelf,
    unverified: isUnverified ? "its file has changed" : undefined,
  }
  const { levels, render } = wordings(WIDTHS, (max) =>
    element("mem", attributes, shorten(contentForModel(mem), max)),
  )
  const longest = isUnverified ? unverifiedTexts : memTexts
  return {
    kind: "mem",
    id,
    role: "mem",
    identity: { id: shortId(id) },
    section: "mems",
    worth: 300 + score * (isUnverified ? 1.5 : 3),
    reason: isUnverified ? `${reason}; unverified: ${shorten(changed.join(", "), 80)} has changed` : reason,
    levels,
    render(level) {
      if (level > 0) return render(level)
      const text = longest.get(mem) ?? render(0)
      longest.set(mem, text)
      return text
    },
  }
}

export function avoidItem({ mem, score, reason }: Ranked): Item {
  const words =
    mem.reason === null ? contentForModel(mem) : `${shorten(mem.content, 120)} — failed: ${mem.reason}`
  const identity = { id: shortId(mem.id) }
  return {
    kind: "mem",
    id: mem.id,
    role: "avoid",
    identity,
    section: "anti_patterns",
    worth: (isNear({ score }) ? 560 : 300) + score,
    reason: `a false path, ${reason}`,
    ...wordings(SHORT_WIDTHS, (max) => element("avoid", identity, shorten(words, max))),
  }
}

export function openDecisionItem(mem: Mem): Item {
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

/** At least "about the same files". */
export function isNear({ score }: Pick<Ranked, "score">): boolean {
  return score >= NEAR_SCORE
}

export function memRef({ id }: Mem): ItemRef {
  return { kind: "mem", id, role: "mem" }
}

/** Failed tasks of the plan; for a subagent, those beside its own. */
export function failedItems(state: GraphState, { plan, tasks }: Place, isScoped: boolean): Item[] {
  if (plan === undefined) return []
  const levels = new Set(tasks.map(levelOf))
  return first(MAX_COUNTED, state.task.by("plan failed", plan.id).backwards())
    .filter((task) => task.purpose === "work" && (!isScoped || levels.has(levelOf(task))))
    .slice(0, MAX_FAILED)
    .map((task, index) => failedItem(task, 558 - index, "failed in this plan"))
}

export function failedItem(task: Task, worth: number, reason: string): Item {
  const identity = { id: shortId(task.id) }
  const description = describeFailed(task)
  return {
    kind: "task",
    id: task.id,
    role: "failed",
    identity,
    status: task.status,
    description: descriptionHash(description),
    section: "anti_patterns",
    worth,
    reason,
    ...wordings(SHORT_WIDTHS, (max) => element("failed", identity, shorten(description.words, max))),
  }
}

export function delegationItems(state: GraphState): Item[] {
  const open = first(MAX_DELEGATIONS, state.delegation.by("open", ALL)).sort((a, b) => (a.id < b.id ? -1 : 1))
  return open.map(({ id, task_id, to_agent, status }): Item => {
    const title = state.task.get(task_id)?.title ?? ""
    const identity = { id: shortId(id) }
    const shown = { ...identity, to: to_agent, status }
    return {
      kind: "delegation",
      id,
      role: "delegation",
      identity,
      section: "delegations",
      worth: 480,
      reason: "under way",
      ...wordings([120, 60], (max) => element("delegation", shown, shorten(title, max))),
    }
  })
}

/** Unresolved sync conflicts, the oldest first. */
export function conflictItems(state: GraphState): { items: Item[]; dropped: Dropped[] } {
  const standing = openConflicts(state)
  const more = standing.slice(MAX_CONFLICTS)
  return {
    items: standing.slice(0, MAX_CONFLICTS).map((conflict) => conflictItem(state, conflict)),
    dropped: more.length === 0 ? [] : [droppedItems("conflicts", "older ones first", more, conflictRef)],
  }
}

export function conflictItem(state: GraphState, conflict: Conflict): Item {
  const { record, stands, lost } = describeConflict(conflict, state)
  const identity = { id: shortId(conflict.id) }
  // In XML a double quote takes six characters.
  const words = `${record}: ${stands} stands; another clone had: ${lost}`.replaceAll('"', "'")
  return {
    ...conflictRef(conflict),
    identity,
    section: "conflicts",
    worth: 770,
    reason: "two clones disagree",
    ...wordings([300, 140, 80], (max) =>
      element("conflict", { ...identity, settle: SETTLE }, shorten(words, max)),
    ),
  }
}

function conflictRef({ id }: Conflict): ItemRef {
  return { kind: "conflict", id, role: "conflict" }
}

export function isConflictStanding(state: GraphState, id: string): boolean {
  const conflict = state.conflict.get(id)
  return conflict !== undefined && isOpenConflict(conflict, state)
}

export function warningItem(warning: Warning): Item {
  return {
    kind: "warning",
    id: warning.id,
    role: "warning",
    identity: { id: warning.id },
    severity: warning.severity,
    section: "warnings",
    worth: WARNING_WORTH[warning.severity],
    reason: `a warning, ${warning.severity}`,
    levels: 2,
    render: (level) => warningElement(warning, level === 0 ? WARNING_TOKENS : SHORT_WARNING_TOKENS),
  }
}

/** A warning of at most 40 tokens: it must never cost more than it saves. */
export function warningElement({ id, severity, text }: Warning, maxTokens = WARNING_TOKENS): string {
  const worded = (max: number) => element("warning", { id, severity }, shorten(text, max))
  let width = Math.min(text.length, WARNING_CHARS)
  while (width > 0 && countTokens(worded(width)) > maxTokens) width = Math.floor(width * 0.8)
  return worded(width)
}

// Dozens of mems are shown on every turn, and a record object never changes: the longest wording is kept.
const memTexts = new WeakMap<Mem, string>()
const unverifiedTexts = new WeakMap<Mem, string>()
const WIDTHS = [800, 200, 70]
const SHORT_WIDTHS = [240, 120, 60]
const NEAR_SCORE = 28
const MAX_FAILED = 12
const MAX_COUNTED = 500
// More than there is ever room for.
export const MAX_DELEGATIONS = 200
const SETTLE = `${callText("session", "settle")}, take: kept or lost`
const MAX_CONFLICTS = 3
const WARNING_TOKENS = 40
const SHORT_WARNING_TOKENS = 28
const WARNING_CHARS = 240
const WARNING_WORTH: Record<Severity, number> = { low: 420, medium: 640, high: 760 }
