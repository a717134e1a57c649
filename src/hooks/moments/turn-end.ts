import { returnChild } from "../../lib/delegation/run.ts"
import { sessionOf } from "../../lib/session/read-head.ts"
import type { Step } from "../background.ts"
import type { MomentInput } from "./moment.ts"

/** A turn has ended and the host waits for the user. */
export function turnEnd({ hive, log, lastWords, validate }: MomentInput) {
  /** A researcher that nobody waits for has ended its turn: what it said is its report. */
  async function takeReport(session: string): Promise<void> {
    const opened = await hive()
    const { state } = opened.store.read()
    const isRunning = [...state.delegation.values()].some(
      ({ child_session_id, status }) => child_session_id === session && status === "running",
    )
    if (!isRunning) return
    const caller = { session, agent: null, tool: "session end" }
    await returnChild(opened, caller, session, await lastWords(session))
  }

  /** A subagent's turn is a part of its parent's. */
  async function validateFiles(session: string): Promise<void> {
    const opened = await hive()
    if (sessionOf(opened.store.read().state, session)?.parent_host_id) return
    const marked = await validate(opened, { session, agent: null, tool: "turn end" }, "turn end")
    if (marked.length > 0) log("info", "validated", marked)
  }

  async function foldIfWorthIt(): Promise<void> {
    const { store } = await hive()
    if (store.health().journal.entries > 0) log("debug", "fold on idle", await store.fold("idle"))
  }

  return (session: string): Step[] => [
    ["report", () => takeReport(session)],
    ["validation", () => validateFiles(session)],
    // Last: what is not in the history yet is quick to read for the steps before.
    ["fold", foldIfWorthIt],
  ]
}
