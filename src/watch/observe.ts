import type { ToolUse } from "../gate/call.ts"
import { type Counts, countIn, timeIn } from "../graph/counters.ts"
import { areAlike, fingerprint, sketchOf } from "./fingerprint.ts"
import { type Cluster, clusters, stuckWords } from "./keywords.ts"
import { allCalls, callsThisMinute, wordsSaid } from "./totals.ts"

/** A tool call that is over. */
export interface ObservedCall {
  use: ToolUse
  /** Equal for equal calls. */
  signature: unknown
  /** What the agent says about its work in this call. */
  prose: string
  /** A tool of ours, and what it was called with. */
  own: { tool: string; args: Readonly<Record<string, unknown>> } | null
  /** The agent is there to read. */
  isReader: boolean
  /** A call that was refused, by us or by the user, has failed: it did not do what it was meant to. */
  ok: boolean
  /** The title of the task at hand, if there was one. */
  task: string | null
  /** It left a checkpoint. */
  isDeed: boolean
}

export type Happening =
  | ({ what: "call" } & ObservedCall)
  | { what: "user message"; taskId: string | null }
  | { what: "cancelled turn" }
  | { what: "good turn" }

/** What something that happened does to a session's counters: the new values of those it touches. */
export function observe(counts: Counts, happening: Happening, now: number): Map<string, number> {
  const next = new Map<string, number>()
  const get = (name: string) => next.get(name) ?? countIn(counts, name)
  const draft: Draft = {
    get,
    set: (name, value) => next.set(name, value),
    add: (name) => next.set(name, get(name) + 1),
    time: (name) => timeIn(counts, name, now),
    now: Math.floor(now / 1000),
  }
  switch (happening.what) {
    case "call":
      observeCall(draft, happening)
      break
    case "user message":
      observeMessage(draft, happening.taskId)
      break
    case "cancelled turn":
      draft.add("cancels")
      draft.add("cancels_in_row")
      // Kept when the row ends: the session stays under a closer watch.
      draft.set("most_cancels", Math.max(get("most_cancels"), get("cancels_in_row")))
      break
    case "good turn":
      draft.set("cancels_in_row", 0)
  }
  return next
}

interface Draft {
  get: (name: string) => number
  set: (name: string, value: number) => void
  add: (name: string) => void
  time: (name: string) => number
  /** In seconds. */
  now: number
}

function observeCall(draft: Draft, call: ObservedCall): void {
  observePace(draft)
  draft.add(`calls ${call.use}`)
  if (call.ok) draft.set("failures_in_row", 0)
  else {
    draft.add("tool_failures")
    draft.add("failures_in_row")
  }
  observeReading(draft, call)
  observeRepeats(draft, call)
  observeWords(draft, stuckWords(call.prose, call.task ?? ""))
  if (call.isDeed && call.task !== null) draft.set("turns_on_task", 0)
}

/** A new minute begins with the first call after the last one is over. */
function observePace({ get, set, time, now }: Draft): void {
  const began = time("minute_began")
  if (now - began < MINUTE) return
  const isNext = now - began < 2 * MINUTE
  set("calls_last_minute", isNext ? callsThisMinute(get) : 0)
  set("calls_before_minute", allCalls(get))
  set("minute_began", now)
}

function observeReading({ set, add }: Draft, { use, ok, isReader, task }: ObservedCall): void {
  if (use === "write") {
    set("reads_in_row", 0)
    if (task !== null) set("writes_without_task", 0)
    else if (ok) add("writes_without_task")
  } else if (ok && (use === "read" || use === "query") && !isReader) add("reads_in_row")
}

function observeRepeats({ get, set, add }: Draft, { signature, own, ok }: ObservedCall): void {
  const call = fingerprint(signature)
  if (get("last_call") === call) add("same_calls")
  else {
    set("last_call", call)
    set("same_calls", 1)
  }
  const { action, content } = own?.args ?? {}
  if (own?.tool === "session" && action === "update" && typeof content === "string") {
    const sketch = sketchOf(content)
    if (areAlike(get("last_update"), sketch)) add("same_updates")
    else set("same_updates", 1)
    set("last_update", sketch)
  } else if (ok && own?.tool === "task" && action !== "status") {
    // The work has moved on by other means.
    set("same_updates", 0)
    set("last_update", 0)
  }
}

function observeWords({ get, set, add }: Draft, words: readonly Cluster[]): void {
  if (words.length === 0) return
  if (wordsSaid(get) === 0) for (const cluster of clusters) set(`words ${cluster}`, 0)
  for (const cluster of words) add(`words ${cluster}`)
  set("words_at_call", allCalls(get))
}

function observeMessage({ get, set, add }: Draft, taskId: string | null): void {
  const task = taskId === null ? 0 : fingerprint(taskId)
  if (task !== 0 && get("task_at_hand") === task) {
    add("turns_on_task")
    return
  }
  set("task_at_hand", task)
  set("turns_on_task", task === 0 ? 0 : 1)
}

const MINUTE = 60
