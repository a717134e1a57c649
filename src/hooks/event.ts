import type { Event } from "@opencode-ai/sdk"
import type { Hive } from "../lib/hive.ts"
import { describeProblems } from "../lib/store/describe-problems.ts"
import type { Log } from "../lib/store/log-file.ts"
import type { SessionParents } from "./session-parents.ts"

export interface EventHookInput {
  hive: () => Promise<Hive>
  log: Log
  toast: (message: string) => Promise<void>
  parents: SessionParents
}

/** Work that belongs to moments between turns. Nothing here is waited for: an answer is never late because of it. */
export function eventHook({ hive, log, toast, parents }: EventHookInput) {
  let told = ""

  async function checkFiles(): Promise<void> {
    const { store } = await hive()
    const message = describeProblems(store.health().problems)
    if (message === "" || message === told) return
    told = message
    log("info", message)
    await toast(message)
  }

  async function foldIfWorthIt(): Promise<void> {
    const { store } = await hive()
    if (store.health().journal.entries > 0) log("debug", "fold on idle", await store.fold("idle"))
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
    }
    if (event.type === "session.idle") later("fold", foldIfWorthIt)
  }
}
