import { laterSessions } from "../graph/conversation.ts"
import { currentTask } from "../graph/current-task.ts"
import { ALL } from "../graph/indexes.ts"
import { sessionOf } from "../graph/read-head.ts"
import type { Hive } from "../hive/hive.ts"
import { HOST_PROCESS } from "../hive/host-process.ts"
import { keepCorrection } from "../knowledge/extract/corrections.ts"
import { keepRules } from "../knowledge/memory/keep-rules.ts"
import { noteAsked } from "../knowledge/memory/save.ts"
import type { Mem } from "../schemas/knowledge.ts"
import type { Task } from "../schemas/task.ts"
import { forgetOldest, shortId } from "../shared/ids.ts"
import { runInSlices } from "../shared/slices.ts"
import { element, shorten } from "../shared/text/clean.ts"
import { withTimeout } from "../shared/timeout.ts"
import { callText } from "../shared/tool-names.ts"
import type { Log } from "../store/files/log-file.ts"
import { countEvent } from "../watch/count-event.ts"
import { metricsOf } from "../watch/session-metrics.ts"
import { bindSubagent } from "../work/delegation/assign.ts"
import { waitingFor } from "../work/delegation/rules.ts"
import { findIntentShift } from "../work/focus/intent-shift.ts"
import { INTENT_SHIFT, shiftHead } from "../work/session/session.ts"
import type { CallSnapshots } from "./call-snapshots.ts"

export interface UserMessage {
  session: string
  agent: string
  text: string
  /** What of it the user typed. The rest is a command's template. Default: all. */
  typed?: string
  /** The host's id of the message, where it has one. */
  id?: string
}

interface UserMessageInput {
  hive: () => Promise<Hive>
  parents: SessionParents
  /** The last agent seen in a session. */
  agentOf: (session: string) => string | null
  tree: CallSnapshots
  lastMessages: LastMessages
  /** Told to the model with the session's message. */
  hintAt: (session: string, hint: string) => void
  toast: (message: string) => Promise<void>
  log: Log
}

/**
 * Before a user message is answered: links a subagent to its parent, follows a change of intent, counts the message.
 */
export function userMessage({
  hive,
  parents,
  agentOf,
  tree,
  lastMessages,
  hintAt,
  toast,
  log,
}: UserMessageInput) {
  return async ({ session, agent, text, typed = text, id }: UserMessage): Promise<void> => {
    const opened = await hive()
    const caller = { session, agent, tool: "user message" }
    const parent = await parentOf(session)
    if (parent !== null) {
      // A subagent's prompt comes from the coordinator: it moves nothing.
      const child = beginChild(opened, caller, { session: parent, agent: agentOf(parent) }, text)
      await waitFor(child, "tying the subagent to its task")
      return
    }
    lastMessages.note(session, text)
    // Not awaited: a call that may write waits for it.
    void tree.turnBegins(opened, session)
    const { state } = opened.store.read()
    const shift = await runInSlices(findIntentShift(state, session, text))
    if (shift !== undefined) log("info", `intent ${shift.action} to task "${shift.task.title}"`)
    if (shift?.action === "move")
      await waitFor(shiftHead(opened, { ...caller, tool: INTENT_SHIFT }, shift.task.id), "the intent shift")
    const taskLine = shift?.action === "hint" ? taskHint(shift.task) : ""
    const taskId = currentTask(opened.store.read().state, session)?.id ?? null
    const { registers } = metricsOf(state, session)
    const isAnswer = registers["has_asked"] === 1
    // Before any work there is nothing to correct: "do not change any files" is the purpose of the session.
    const isFirst = registers[HOST_PROCESS] === undefined
    await waitFor(countEvent(opened, caller, { what: "user message", taskId, text }), "counting the message")
    const message = id ?? null
    const heard = await keepRules(opened, caller, { text: typed, id: message, isAnswer: isAnswer || isFirst })
    const { possible } = heard
    noteAsked(opened.store, session, possible === undefined ? undefined : { sentence: possible, message })
    const rules = heard.kept.map(({ mem }) => mem)
    hintAt(session, [taskLine, ruleHint(rules, possible !== undefined)].filter(Boolean).join("\n"))
    for (const { mem, replaced } of heard.kept) tellUser(mem, replaced)
    for (const { content } of heard.ended) say(`No longer a rule: "${shorten(content, 80)}".`)
    if (isFirst || rules.length + heard.ended.length > 0) return
    await waitFor(keepCorrection(opened, caller, typed, { isAnswer }), "keeping a correction")
  }

  function tellUser({ content }: Mem, replaced: readonly Mem[]): void {
    const instead = replaced.map((old) => ` It replaces "${shorten(old.content, 60)}".`).join("")
    say(`Noted as a rule: "${shorten(content, 80)}".${instead} /hive-forget drops it.`)
  }

  function say(text: string): void {
    toast(text).catch((error: unknown) => log("info", "could not show toast", error))
  }

  /** Without an answer in time it counts as a top session, as nearly all are. */
  async function parentOf(session: string): Promise<string | null> {
    try {
      const parent = await withTimeout(parents.of(session), LOOKUP_MS)
      if (parent.timedOut) log("info", `the host did not say in time whose session ${session} is`)
      return parent.timedOut ? null : parent.value
    } catch (error) {
      log("info", `the host did not say whose session ${session} is`, error)
      return null
    }
  }

  /** A slow write goes on while the message is answered. */
  async function waitFor(work: Promise<unknown>, what: string): Promise<void> {
    if ((await withTimeout(work, WRITE_MS)).timedOut) log("info", `${what} took more than ${WRITE_MS} ms`)
  }
}

/** A subagent's first message starts its work; a later one counts if a delegation waits for it. */
async function beginChild(
  hive: Hive,
  caller: { session: string; agent: string; tool: string },
  parent: { session: string; agent: string | null },
  prompt: string,
): Promise<void> {
  const { state } = hive.store.read()
  const later = laterSessions((host) => sessionOf(state, host), parent.session)
  const isWaitedFor = [parent.session, ...later].some((session) =>
    waitingFor(state.delegation.by("open", ALL), session).some(({ to_agent }) => to_agent === caller.agent),
  )
  if (sessionOf(state, caller.session) !== undefined && !isWaitedFor) return
  await bindSubagent(hive, caller, parent, prompt)
}

/** The user's last message of each session, in memory: the gate allows what it asks for. */
export function lastMessages() {
  const texts = new Map<string, string>()
  return {
    note(session: string, text: string): void {
      texts.delete(session)
      texts.set(session, text.slice(0, MAX_CHARS))
      if (texts.size > MAX_SESSIONS) forgetOldest(texts)
    },
    of: (session: string): string | undefined => texts.get(session),
  }
}

export type LastMessages = ReturnType<typeof lastMessages>

/** The parent of each subagent session. Learned from events; after a restart the host is asked once. */
export function sessionParents(ask: (session: string) => Promise<string | null>) {
  const parents = new Map<string, string | null>()

  function note(session: string, parent: string | null): void {
    parents.set(session, parent)
    if (parents.size > MAX_KNOWN) forgetOldest(parents)
  }

  return {
    learn: note,
    async of(session: string): Promise<string | null> {
      const known = parents.get(session)
      if (known !== undefined) return known
      const parent = await ask(session)
      note(session, parent)
      return parent
    },
  }
}

type SessionParents = ReturnType<typeof sessionParents>

const LOOKUP_MS = 1000
const WRITE_MS = 2000
const MAX_CHARS = 20_000
const MAX_SESSIONS = 200
const MAX_KNOWN = 1000

/** For a message that names a task without a clear order to switch to it. The model decides. */
export function taskHint({ id, title }: Pick<Task, "id" | "title">): string {
  const call = `${callText("task", "start")} ${shortId(id)}`
  return element("hint", {}, `The user may mean the task "${shorten(title, 80)}". If so: ${call}`)
}

/** Says which rules were noted from the message, or asks whether it holds one that lasts. The model judges the latter. */
function ruleHint(kept: readonly Pick<Mem, "id">[], mayHoldRule: boolean): string {
  const ids = kept.map(({ id }) => shortId(id)).join(" ")
  if (ids !== "") return element("hint", {}, `Noted as rules from this message: ${ids}`)
  if (!mayHoldRule) return ""
  return element("hint", {}, `If this is meant for the future too: ${callText("memory", "save")} kind rule`)
}
