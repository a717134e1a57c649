import { setImmediate as nextTick, setTimeout as sleep } from "node:timers/promises"
import { ALL } from "../graph/indexes.ts"
import { isDonePhase, isKnowledge, isOpenPlan, isOpenTask } from "../graph/lifecycle.ts"
import { headOf, sessionOf } from "../graph/read-head.ts"
import type { GraphState } from "../graph/state.ts"
import type { Transaction } from "../graph/transaction.ts"
import { authorOf, type Caller, type Hive } from "../hive/hive.ts"
import { FRESH_HOURS, type StaleAnchor, staleAnchors } from "../knowledge/anchor/staleness.ts"
import {
  checkFiles,
  type Finding,
  type ForeignFiles,
  foreignFilesOf,
  watchedPaths,
} from "../project/document/check-files.ts"
import type { FileState, FileStatusLookup } from "../project/document/file-status.ts"
import { documentOfPlan, recordFile, recordFileState } from "../project/document/record-file.ts"
import type { Anchor, Artifact, Mem } from "../schemas/knowledge.ts"
import { stampOf } from "../shared/stamp.ts"
import { shorten } from "../shared/text/clean.ts"
import { HOUR_MS } from "../shared/time.ts"

/** Returns descriptions of the marked records, for the log. */
export type Validation = (
  hive: Hive,
  caller: Caller,
  moment: "session start" | "turn end",
) => Promise<string[]>

/**
 * Marks anchors and documents that no longer match the project's files. Runs in the background and yields after each
 * file; writes only if something is to be marked.
 */
export function createValidation(
  look: FileStatusLookup,
  messagesOf: (session: string) => number,
  foreignFiles: ForeignFiles = foreignFilesOf(look),
): Validation {
  const seeFile = foreignFiles.look
  // The changed files that each session was shown by the end of its last turn. A later edit counts as new.
  const shownFiles = new Map<string, { hash: string; messages: number }>()
  const keyOf = ({ session }: Caller, { id }: Artifact) => `${session} ${id}`

  return async (hive, caller, moment) => {
    // The results are cached, so the checks below read nothing.
    for (const path of watchedPaths(hive.store.read().state)) {
      seeFile(path)
      await (moment === "session start" ? sleep(REST_MS) : nextTick())
    }
    await foreignFiles.update(hive)
    const now = hive.source.now()
    const { state } = hive.store.read()
    // At a session's start nothing was shown yet.
    const messages = moment === "turn end" && caller.session !== null ? messagesOf(caller.session) : -1
    const wasShown = (artifact: Artifact, file: FileState) => {
      const shown = shownFiles.get(keyOf(caller, artifact))
      return (
        shown?.hash === file.hash &&
        shown.messages < messages &&
        isDocumentOf(state, caller.session, artifact)
      )
    }
    const stale = staleAnchors(state, seeFile, now).filter(({ why }) => why !== "age")
    const findings = checkFiles(state, seeFile, wasShown)
    for (const found of findings)
      if (found.kind === "changed")
        shownFiles.set(keyOf(caller, found.artifact), { hash: found.now?.hash ?? "gone", messages })
    const news = findings.filter((found) => found.kind !== "changed" || found.artifact.status !== "changed")
    if (stale.length + news.length === 0) return []

    const at = new Date(now).toISOString()
    const stamp = sessionOf(state, caller.session)?.stamp ?? stampOf(now)
    await hive.store.write(authorOf(caller), (tx) => {
      for (const each of stale) markStale(tx, each)
      for (const found of news) recordFinding(tx, found, at, stamp)
    })
    return [
      ...stale.map(({ anchor, why }) => `anchor ${anchor.key} is stale: its ${why}`),
      ...news.map(describeFinding),
    ]
  }
}

/** True for the document of the session's plan: the block says how it changed. */
function isDocumentOf(state: GraphState, session: string | null, artifact: Artifact): boolean {
  const plan = state.plan.get(headOf(state, session)?.active_plan_id ?? "")
  return plan !== undefined && documentOfPlan(state, plan)?.id === artifact.id
}

/** `updated_at` stays: it says when the anchor was last confirmed. */
function markStale(tx: Transaction, { anchor }: StaleAnchor): void {
  if (tx.get("anchor", anchor.id)?.updated_at === anchor.updated_at)
    tx.set("anchor", anchor.id, { status: "stale" })
}

/** Records changed meanwhile are left for the next time. */
function recordFinding(tx: Transaction, found: Finding, at: string, stamp: string): void {
  if (found.kind === "appeared") {
    if (tx.get("plan", found.plan.id)?.status !== found.plan.status) return
    recordFile(tx, found.path, found.now, { at, stamp, plan_id: found.plan.id })
    return
  }
  const { id, updated_at } = found.artifact
  if (tx.get("artifact", id)?.updated_at !== updated_at) return
  if (found.kind === "accepted") recordFileState(tx, id, found.now, at)
  else if (found.kind === "changed") tx.set("artifact", id, { status: "changed", updated_at: at })
  else tx.set("artifact", id, { status: "superseded", superseded_by: found.by.id, updated_at: at })
}

function describeFinding(found: Finding): string {
  return `${found.kind === "appeared" ? found.path : found.artifact.path}: ${found.kind}`
}

interface ToRefresh {
  kind: "mem" | "anchor"
  id: string
  title: string
  stale_at: string
}

/**
 * Knowledge to check again, most urgent first: stale and used by open work, or stale soon (within a quarter of its
 * life, at most 12 hours) unless all its work is over.
 */
export function refreshQueue(state: GraphState, now: number): ToRefresh[] {
  const anchors = [...state.anchor.by("kept", ALL)].flatMap((anchor) => dueAnchor(state, anchor, now) ?? [])
  return [...dueMems(state, now), ...anchors]
    .sort((a, b) => (a.stale_at < b.stale_at ? -1 : a.stale_at > b.stale_at ? 1 : a.id < b.id ? -1 : 1))
    .slice(0, MAX_DUE)
}

/** The index is sorted by time, so the walk ends early. */
function dueMems(state: GraphState, now: number): ToRefresh[] {
  const due: ToRefresh[] = []
  const nowIso = iso(now)
  const soonIso = iso(now + SOON_MS)
  for (const mem of state.mem.by("stale", ALL)) {
    const staleAt = mem.stale_at ?? ""
    if (due.length >= MAX_DUE || staleAt > soonIso) break
    if (!isKnowledge(mem)) continue
    const tie = tieOf(state, [mem.origin_task_id, ...mem.related_to])
    const isDue = staleAt <= nowIso ? tie === "open" : tie !== "over" && isSoon(mem, now)
    if (isDue)
      due.push({ kind: "mem", id: mem.id, title: shorten(mem.content, MAX_TITLE), stale_at: staleAt })
  }
  return due
}

function isSoon({ created_at, stale_at }: Mem, now: number): boolean {
  const end = Date.parse(stale_at ?? "")
  return end - now <= (end - Date.parse(created_at)) / 4
}

function dueAnchor(state: GraphState, anchor: Anchor, now: number): ToRefresh | undefined {
  const end = Date.parse(anchor.updated_at) + FRESH_HOURS * HOUR_MS
  const staleAt = anchor.status === "stale" ? Math.min(end, now) : end
  // An unrelated anchor is about the whole project, which is never over.
  if (staleAt > now + SOON_MS || tieOf(state, anchor.related_to) === "over") return undefined
  const title = shorten(`${anchor.key}: ${anchor.value}`, MAX_TITLE)
  return { kind: "anchor", id: anchor.id, title, stale_at: iso(staleAt) }
}

/** Whether related work is open; "none" without related work. */
function tieOf(state: GraphState, ids: readonly (string | null)[]): "open" | "over" | "none" {
  const ties = ids.flatMap((id) => (id === null ? [] : (isOpen(state, id) ?? [])))
  return ties.length === 0 ? "none" : ties.includes(true) ? "open" : "over"
}

function isOpen(state: GraphState, id: string): boolean | undefined {
  const task = state.task.get(id)
  if (task !== undefined) return isOpenTask(task)
  const phase = state.phase.get(id)
  if (phase !== undefined) return !isDonePhase(phase)
  const plan = state.plan.get(state.artifact.get(id)?.plan_id ?? id)
  return plan === undefined ? undefined : isOpenPlan(plan)
}

function iso(time: number): string {
  return new Date(time).toISOString()
}

// The host has one thread: validation takes a small share of it.
const REST_MS = 5
const SOON_MS = 12 * HOUR_MS
const MAX_DUE = 20
const MAX_TITLE = 80
