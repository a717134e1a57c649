import { setImmediate as nextTick, setTimeout as sleep } from "node:timers/promises"
import { ALL } from "../graph/indexes.ts"
import { isDonePhase, isKnowledge, isOpenPlan, isOpenTask } from "../graph/lifecycle.ts"
import { headOf, sessionOf } from "../graph/read-head.ts"
import type { GraphState } from "../graph/state.ts"
import type { Transaction } from "../graph/transaction.ts"
import { authorOf, type Caller, type Hive } from "../hive/hive.ts"
import { FRESH_HOURS, staleAnchors } from "../knowledge/anchor/staleness.ts"
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

export type Validation = (hive: Hive, caller: Caller, moment: Moment) => Promise<string[]>
type Moment = "session start" | "turn end"

/** Marks anchors and documents that no longer match the project's files. Runs in the background and yields after each file. */
export function createValidation(
  look: FileStatusLookup,
  messagesOf: (session: string) => number,
  foreignFiles: ForeignFiles = foreignFilesOf(look),
): Validation {
  const seeFile = foreignFiles.look
  // By session and file: the hash of the changed content found last, and how many messages the session had then.
  const shownFiles = new Map<string, { hash: string; messages: number }>()
  const keyOf = ({ session }: Caller, { id }: Artifact) => `${session} ${id}`

  return async (hive, caller, moment) => {
    // Reads each watched file into the cache, with a pause after each, so that the checks below read no files.
    for (const path of watchedPaths(hive.store.read().state)) {
      seeFile(path)
      await (moment === "session start" ? sleep(REST_MS) : nextTick())
    }
    await foreignFiles.update(hive)
    const now = hive.source.now()
    const { state } = hive.store.read()
    // -1 at the start of a session, when no file has been shown yet.
    const messages = moment === "turn end" && caller.session !== null ? messagesOf(caller.session) : -1
    const wasShown = (artifact: Artifact, file: FileState) => {
      const shown = shownFiles.get(keyOf(caller, artifact))
      const isSame = shown?.hash === file.hash && shown.messages < messages
      return isSame && isDocumentOf(state, caller.session, artifact)
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
      // `updated_at` is not changed, because it is the time when the anchor was last confirmed.
      for (const { anchor } of stale)
        if (tx.get("anchor", anchor.id)?.updated_at === anchor.updated_at)
          tx.set("anchor", anchor.id, { status: "stale" })
      for (const found of news) recordFinding(tx, found, at, stamp)
    })
    return [
      ...stale.map(({ anchor, why }) => `anchor ${anchor.key} is stale: its ${why}`),
      ...news.map(describeFinding),
    ]
  }
}

/** True for the document of the session's plan: the state sent to the model already describes its change. */
function isDocumentOf(state: GraphState, session: string | null, artifact: Artifact): boolean {
  const plan = state.plan.get(headOf(state, session)?.active_plan_id ?? "")
  return plan !== undefined && documentOfPlan(state, plan)?.id === artifact.id
}

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

/** Mems and anchors to check again, by the time when they become stale. Those of work that is over are left out. */
export function refreshQueue(state: GraphState, now: number): ToRefresh[] {
  const anchors = [...state.anchor.by("kept", ALL)].flatMap((anchor) => dueAnchor(state, anchor, now) ?? [])
  return [...dueMems(state, now), ...anchors]
    .sort((a, b) => (a.stale_at < b.stale_at ? -1 : a.stale_at > b.stale_at ? 1 : a.id < b.id ? -1 : 1))
    .slice(0, MAX_DUE)
}

/** Mems to check again. The index is sorted by `stale_at`: the loop ends at the first mem that is not stale soon. */
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
  // An anchor without related work is about the whole project, which is never over.
  if (staleAt > now + SOON_MS || tieOf(state, anchor.related_to) === "over") return undefined
  const title = shorten(`${anchor.key}: ${anchor.value}`, MAX_TITLE)
  return { kind: "anchor", id: anchor.id, title, stale_at: iso(staleAt) }
}

/** Whether any of the related tasks, phases and plans is open; "none" if no such record is related. */
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

// The pause after each file, because validation shares the host's only thread.
const REST_MS = 5
const SOON_MS = 12 * HOUR_MS
const MAX_DUE = 20
const MAX_TITLE = 80
