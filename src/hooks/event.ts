import type { Event } from "@opencode-ai/sdk"
import { returnChild } from "../lib/delegation/run.ts"
import type { Hive } from "../lib/hive.ts"
import { purgeAbandoned } from "../lib/plan/end.ts"
import { closeSession } from "../lib/session/close.ts"
import { sessionOf } from "../lib/session/read-head.ts"
import { describeProblems } from "../lib/store/describe-problems.ts"
import type { Log } from "../lib/store/log-file.ts"
import type { SessionParents } from "./session-parents.ts"

export interface EventHookInput {
  hive: () => Promise<Hive>
  log: Log
  toast: (message: string) => Promise<void>
  parents: SessionParents
  lastWords: (session: string) => Promise<string>
}

/** Work that belongs to moments between turns. Nothing here is waited for: an answer is never late because of it. */
export function eventHook({ hive, log, toast, parents, lastWords }: EventHookInput) {
  let told = ""
  // The host repeats the event; a call fails once.
  const counted = new Set<string>()

  async function checkFiles(): Promise<void> {
    const { store } = await hive()
    const message = describeProblems(store.health().problems)
    if (message === "" || message === told) return
    told = message
    log("info", message)
    await toast(message)
  }

  /** A researcher that nobody waits for has ended its turn: what it said is its report. */
  async function takeReport(session: string): Promise<void> {
    const opened = await hive()
    const { state } = opened.store.read()
    const isRunning = [...state.delegation.values()].some(
      ({ child_session_id, status }) => child_session_id === session && status === "running",
    )
    if (!isRunning) return
    await returnChild(
      opened,
      { session, agent: null, tool: "session end" },
      session,
      await lastWords(session),
    )
  }

  async function foldIfWorthIt(): Promise<void> {
    const { store } = await hive()
    if (store.health().journal.entries > 0) log("debug", "fold on idle", await store.fold("idle"))
  }

  /** What was abandoned before this session started is no longer shown from now on. */
  async function purge(session: string): Promise<void> {
    const opened = await hive()
    const count = await purgeAbandoned(opened, { session, agent: null, tool: "session start" })
    if (count > 0) log("info", `${count} task(s) of abandoned plans left the packed state`)
  }

  /** A session that is gone holds nothing any more. */
  async function close(session: string): Promise<void> {
    const opened = await hive()
    if (sessionOf(opened.store.read().state, session)?.status !== "active") return
    await closeSession(opened, { session, agent: null, tool: "session deleted" })
  }

  /** A tool that fails by itself runs no after-hook; only this event tells. */
  async function countFailure(session: string, tool: string): Promise<void> {
    const { store } = await hive()
    await store.append({ tool: "event", session, agent: null }, (tx) => {
      tx.count(session, "tool_failures")
      tx.count(session, `failures of ${tool}`)
    })
  }

  const later = (name: string, job: () => Promise<void>) => {
    setImmediate(() => {
      job().catch((error: unknown) => log("error", `${name} failed`, error))
    })
  }

  return ({ event }: { event: Event }): void => {
    if (event.type === "session.created") {
      parents.learn(event.properties.info.id, event.properties.info.parentID ?? null)
      later("check of the files", checkFiles)
      if (!event.properties.info.parentID) later("purge", () => purge(event.properties.info.id))
    }
    if (event.type === "message.part.updated") {
      const { part } = event.properties
      if (part.type !== "tool" || part.state.status !== "error" || counted.has(part.callID)) return
      if (counted.size > MAX_COUNTED) counted.clear()
      counted.add(part.callID)
      later("count of a failure", () => countFailure(part.sessionID, part.tool))
    }
    if (event.type === "session.deleted") later("close", () => close(event.properties.info.id))
    if (event.type === "session.idle") {
      later("report", () => takeReport(event.properties.sessionID))
      later("fold", foldIfWorthIt)
    }
  }
}

const MAX_COUNTED = 1000
