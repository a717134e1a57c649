import { ALL, levelOf } from "../../graph/indexes.ts"
import { describeConflict, openConflicts } from "../../graph/open-conflicts.ts"
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
import { type Dropped, droppedItems, type Item, itemOf, wordings } from "./item.ts"
import type { Ranked } from "./relevance.ts"

export function memItem({ mem, score, reason }: Ranked, evidence: EvidenceCheck): Item {
  const changed = changedEvidence(mem.evidence, evidence)
  const isUnverified = changed.length > 0
  const { id, kind, shelf } = mem
  const identity = { id: shortId(id) }
  const item = itemOf("mem", {
    id,
    identity,
    shown: {
      ...identity,
      kind,
      shelf: shelf === "context" ? undefined : shelf,
      unverified: isUnverified ? "its file has changed" : undefined,
    },
    words: contentForModel(mem),
    widths: WIDTHS,
    worth: 300 + score * (isUnverified ? 1.5 : 3),
    reason: isUnverified ? `${reason}; unverified: ${shorten(changed.join(", "), 80)} has changed` : reason,
  })
  const longest = isUnverified ? unverifiedTexts : memTexts
  return {
    ...item,
    render(level) {
      if (level > 0) return item.render(level)
      const text = longest.get(mem) ?? item.render(0)
      longest.set(mem, text)
      return text
    },
  }
}

export function avoidItem({ mem, score, reason }: Ranked): Item {
  return itemOf("avoid", {
    id: mem.id,
    identity: { id: shortId(mem.id) },
    words:
      mem.reason === null ? contentForModel(mem) : `${shorten(mem.content, 120)} — failed: ${mem.reason}`,
    widths: SHORT_WIDTHS,
    worth: (isNear({ score }) ? 560 : 300) + score,
    reason: `a false path, ${reason}`,
  })
}

export function openDecisionItem({ id, content }: Mem): Item {
  return itemOf("decision", {
    id,
    identity: { id: shortId(id) },
    words: content,
    widths: WIDTHS,
    worth: 720,
    reason: "an open decision",
  })
}

/** True if a mem is related to the current work: it scores at least like a mem about the same files. */
export const isNear = ({ score }: Pick<Ranked, "score">): boolean => score >= NEAR_SCORE

export function failedItems(state: GraphState, { plan, tasks }: Place, isScoped: boolean): Item[] {
  if (plan === undefined) return []
  const levels = new Set(tasks.map(levelOf))
  return first(MAX_COUNTED, state.task.by("plan failed", plan.id).backwards())
    .filter((task) => task.purpose === "work" && (!isScoped || levels.has(levelOf(task))))
    .slice(0, MAX_FAILED)
    .map((task, index) => failedItem(state, task, 558 - index, "failed in this plan"))
}

export function failedItem(state: GraphState, task: Task, worth: number, reason: string): Item {
  const description = describeFailed(state, task)
  return itemOf("failed", {
    id: task.id,
    identity: { id: shortId(task.id) },
    status: task.status,
    description: descriptionHash(description),
    words: description.words,
    widths: SHORT_WIDTHS,
    worth,
    reason,
  })
}

export function delegationItems(state: GraphState): Item[] {
  const open = first(MAX_DELEGATIONS, state.delegation.by("open", ALL)).sort((a, b) => (a.id < b.id ? -1 : 1))
  return open.map(({ id, task_id, to_agent, status }) => {
    const identity = { id: shortId(id) }
    return itemOf("delegation", {
      id,
      identity,
      shown: { ...identity, to: to_agent, status },
      words: state.task.get(task_id)?.title ?? "",
      widths: [120, 60],
      worth: 480,
      reason: "under way",
    })
  })
}

export function conflictItems(state: GraphState): { items: Item[]; dropped: Dropped[] } {
  const standing = openConflicts(state)
  const more = standing.slice(MAX_CONFLICTS)
  return {
    items: standing.slice(0, MAX_CONFLICTS).map((conflict) => conflictItem(state, conflict)),
    dropped: more.length === 0 ? [] : [droppedItems("conflict", "older conflicts come first", more)],
  }
}

export function conflictItem(state: GraphState, conflict: Conflict): Item {
  const { record, stands, lost } = describeConflict(conflict, state)
  const identity = { id: shortId(conflict.id) }
  return itemOf("conflict", {
    id: conflict.id,
    identity,
    shown: { ...identity, settle: SETTLE },
    // Single quotes, because in XML a double quote becomes `&quot;`: six characters.
    words: `${record}: kept: ${stands}; lost, from another clone: ${lost}`.replaceAll('"', "'"),
    widths: [300, 140, 80],
    worth: 770,
    reason: "two clones disagree",
  })
}

export function warningItem(warning: Warning): Item {
  const { id, severity, text } = warning
  const facts = { id, identity: { id }, severity, words: text, widths: [] }
  return {
    ...itemOf("warning", { ...facts, worth: WARNING_WORTH[severity], reason: `a warning, ${severity}` }),
    ...wordings(WARNING_TOKENS, (most) => warningElement(warning, most)),
  }
}

/** Cuts a warning to at most 40 tokens, because it must never cost more than it saves. */
export function warningElement({ id, severity, text }: Warning, maxTokens = MAX_WARNING_TOKENS): string {
  const worded = (max: number) => element("warning", { id, severity }, shorten(text, max))
  let width = Math.min(text.length, WARNING_CHARS)
  while (width > 0 && countTokens(worded(width)) > maxTokens) width = Math.floor(width * 0.8)
  return worded(width)
}

// The longest wording is cached, because dozens of mems are shown on every turn and a record object never changes.
const memTexts = new WeakMap<Mem, string>()
const unverifiedTexts = new WeakMap<Mem, string>()
const WIDTHS = [800, 200, 70]
const SHORT_WIDTHS = [240, 120, 60]
const NEAR_SCORE = 28
const MAX_FAILED = 12
const MAX_COUNTED = 500
export const MAX_DELEGATIONS = 200
const SETTLE = `${callText("session", "settle")}, take: kept or lost`
const MAX_CONFLICTS = 3
const MAX_WARNING_TOKENS = 40
const WARNING_TOKENS = [MAX_WARNING_TOKENS, 28]
const WARNING_CHARS = 240
const WARNING_WORTH: Record<Severity, number> = { low: 420, medium: 640, high: 760 }
