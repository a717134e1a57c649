import { setImmediate as nextTick, setTimeout as sleep } from "node:timers/promises"
import { headOf, sessionOf } from "../../graph/read-head.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Transaction } from "../../graph/transaction.ts"
import { authorOf, type Caller, type Hive } from "../../hive/hive.ts"
import { type StaleAnchor, staleAnchors } from "../../knowledge/anchor/staleness.ts"
import { checkFiles, type Finding, watchedPaths } from "../../project/document/check-files.ts"
import type { FileLook, FileState } from "../../project/document/file-look.ts"
import { documentOfPlan } from "../../project/document/known-state.ts"
import { recordFile, recordFileState } from "../../project/document/record-file.ts"
import type { Artifact } from "../../schemas/knowledge.ts"
import { stampOf } from "../../shared/stamp.ts"

/** Returns what was marked, in words for the log. */
export type Validation = (
  hive: Hive,
  caller: Caller,
  moment: "session start" | "turn end",
) => Promise<string[]>

/**
 * Compares the graph with the project's files and marks what no longer holds: anchors and documents. It runs beside the
 * conversation: between two files it lets everything else go first, and it writes only if there is something to mark.
 */
export function createValidation(seeFile: FileLook, messagesOf: (session: string) => number): Validation {
  // The changed files that each session was shown, as of the end of its last turn. A later edit counts as new, and a
  // session without a message since has been shown nothing.
  const shownFiles = new Map<string, { hash: string; messages: number }>()
  const keyOf = ({ session }: Caller, { id }: Artifact) => `${session} ${id}`

  return async (hive, caller, moment) => {
    // Reading the files takes time; what has been read is remembered, so that the checks below read nothing.
    for (const path of watchedPaths(hive.store.read().state)) {
      seeFile(path)
      await (moment === "session start" ? sleep(REST_MS) : nextTick())
    }
    const now = hive.source.now()
    const { state } = hive.store.read()
    // At a session's start nothing has been shown: the first message may come before this check is done.
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

/** True of the document of the plan that the session works on: the block says how it changed. */
function isDocumentOf(state: GraphState, session: string | null, artifact: Artifact): boolean {
  const plan = state.plan.get(headOf(state, session)?.active_plan_id ?? "")
  return plan !== undefined && documentOfPlan(state, plan)?.id === artifact.id
}

/** The anchor's time stays as it is: it says since when nobody has confirmed the anchor. */
function markStale(tx: Transaction, { anchor }: StaleAnchor): void {
  if (tx.get("anchor", anchor.id)?.updated_at === anchor.updated_at)
    tx.set("anchor", anchor.id, { status: "stale" })
}

/** What somebody has changed meanwhile is left to the next time. */
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

// The host runs in one thread: while the first answer is on its way, validation takes a small share of it.
const REST_MS = 5
