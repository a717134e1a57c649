import { analyzeCall } from "../../src/gate/call.ts"
import { readCommand } from "../../src/gate/shell/read-command.ts"
import type { Hive } from "../../src/hive/hive.ts"
import { readCall } from "../../src/hosts/opencode/calls.ts"
import { observedCall, observedFailure } from "../../src/turns/after-call.ts"
import { countEvent } from "../../src/watch/count-event.ts"
import type { SessionEvent } from "../../src/watch/counting-rules.ts"
import { driftReport } from "../../src/watch/drift-report.ts"
import { metricsOf } from "../../src/watch/session-metrics.ts"
import { warningsToShow } from "../../src/watch/warnings.ts"
import { judgeChecks } from "../../src/work/task/check-result.ts"
import { memoryHive } from "../../test/support/hive.ts"
import type { RecordedEvent, RecordedSession } from "./read-sessions.ts"
import { userMessage } from "./user-messages.ts"

export interface Replayed {
  /** Signals that the model was told of, each with the number of the event that brought it up. */
  told: Map<string, number>
  /** Signals that the status showed at some user message. */
  shown: Set<string>
}

/**
 * Plays a recorded session through the code that counts and warns, as the steps around a turn would. Edits are known by
 * their lengths only, so those stand for their texts. Parallel calls are not marked either: calls that follow each other at
 * once are taken for one step.
 */
export async function replay({ events }: RecordedSession): Promise<Replayed> {
  let now = 0
  const memory = memoryHive()
  const hive: Hive = { ...memory, source: { ...memory.source, now: () => now } }
  const told = new Map<string, number>()
  const shown = new Set<string>()
  let step = 0
  let lastCallAt = 0
  let wasStopped = false
  /** What the agent said since the last message; undefined where it did nothing. */
  let answer: string | undefined

  for (const [at, event] of events.entries()) {
    now = Math.max(now, Date.parse(event.at ?? "") || now)
    // A subagent's calls are of a session of their own.
    const session = event.subagent ? "subagent" : "main"
    const caller = { session, agent: "build", tool: "replay" }
    const count = (seen: SessionEvent) => countEvent(hive, caller, seen)
    const tell = (names: readonly string[]) => {
      for (const name of names) if (!told.has(name)) told.set(name, at + 1)
    }
    if (event.call !== undefined && event.ok !== null && event.rejected !== true) {
      if (now - lastCallAt > SAME_STEP_MS && !event.result?.includes(OF_SAME_STEP)) step++
      lastCallAt = now
      const seen = observedEvent(event, at, String(step))
      const warnings = await countEvent(hive, caller, seen, () => undefined)
      tell(warnings.map(({ id }) => id))
    } else if (event.call === undefined) {
      // A text of the agent's ends a step as well.
      lastCallAt = 0
    }
    if (!event.subagent && event.user === undefined && event.rejected !== true)
      answer = event.say ?? answer ?? ""
    const message = event.user === undefined ? undefined : userMessage(events, at)
    if (message?.what === "stop") {
      await count({ what: "cancelled turn", said: "" })
      wasStopped = true
    } else if (message?.what === "rejected call") {
      await count({ what: "rejected call", words: message.text })
    } else if (message !== undefined) {
      if (!wasStopped && answer !== undefined) await count({ what: "good turn", said: answer })
      wasStopped = false
      answer = undefined
      for (const { signal } of driftReport(hive, session).warnings) shown.add(signal)
      await count({ what: "user message", taskId: null, text: message.text })
      const { state } = hive.store.read()
      const watched = {
        ...{ state, session, now },
        metrics: metricsOf(state, session),
        detection: hive.config.detection,
      }
      tell(warningsToShow(watched, { since: now, last: () => undefined }).map(({ id }) => id))
    }
  }
  return { told, shown }
}

function observedEvent(event: RecordedEvent, at: number, step: string): SessionEvent {
  const { ok, result = `result ${at}` } = event
  const tool = TOOLS[event.call ?? ""] ?? event.call ?? ""
  const call = readCall({ id: String(at), session: "", agent: "build", tool, args: argsOf(event, tool, at) })
  const around = { task: null, step }
  if (ok !== true && call.command === null) return observedFailure(call, result, around)
  const place = { projectDir: PROJECT, directory: PROJECT }
  const judged = analyzeCall(call, {
    ...place,
    read: (command, cwd) => readCommand(command, { project: PROJECT, cwd, home: "/home/dev" }),
  })
  const ended = {
    ...{ id: call.id, session: "", agent: "build", tool, ok: ok === true, child: null },
    exit: call.command === null ? null : ok === true ? 0 : 1,
    ...{ said: result, isSilent: event.result === undefined, isStopped: false },
  }
  const { exit } = ended
  const check = judgeChecks(call.command?.text ?? "", { exit, output: event.result ?? "" })
  return observedCall(ended, judged, { ...around, changed: [], check })
}

/** The arguments as OpenCode would have them. */
function argsOf(event: RecordedEvent, tool: string, at: number): Record<string, unknown> {
  const { file_path: filePath, command, description, path, pattern, url, edit = [0, 0] } = event
  if (tool === "bash") return { command, description }
  if (tool === "edit") return { filePath, oldString: `${edit[0]}`, newString: `${edit[1]}` }
  if (tool === "write") return { filePath, content: `text ${at}` }
  if (tool === "read") return { filePath, at }
  return { path, pattern, url, description, at }
}

const TOOLS: Readonly<Record<string, string>> = {
  ...{ Read: "read", Edit: "edit", Write: "write", Bash: "bash", Grep: "grep", Glob: "glob" },
  ...{ Task: "task", TodoWrite: "todowrite", WebFetch: "webfetch", WebSearch: "websearch", LSP: "lsp" },
}
const PROJECT = "/home/dev/project"
const SAME_STEP_MS = 1500
const OF_SAME_STEP = "Sibling tool call errored"
