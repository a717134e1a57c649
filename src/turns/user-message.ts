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
import { BoundedMap, shortId } from "../shared/ids.ts"
import { runInSlices } from "../shared/slices.ts"
import { element, shorten } from "../shared/text/clean.ts"
import { withTimeout } from "../shared/timeout.ts"
import { callText } from "../shared/tool-names.ts"
import { countEvent } from "../watch/count-event.ts"
import { metricsOf } from "../watch/session-metrics.ts"
import { bindSubagent } from "../work/delegation/assign.ts"
import { waitingFor } from "../work/delegation/check-delegation.ts"
import { INTENT_SHIFT, shiftHead } from "../work/session/session.ts"
import type { SessionCaller } from "../work/write.ts"
import type { TurnInput } from "./between-turns.ts"

export interface UserMessage {
  session: string
  agent: string
  text: string
  /** The part of `text` that the user typed; the rest is a command's template. By default, all of it. */
  typed?: string
  id?: string
}

interface UserMessageInput extends Pick<TurnInput, "hive" | "log" | "toast" | "tree"> {
  parents: ReturnType<typeof sessionParents>
  agentOf: (session: string) => string | null
  lastMessages: LastMessages
  hintAt: (session: string, hint: string) => void
}

export function userMessage(input: UserMessageInput) {
  const { hive, parents, agentOf, tree, lastMessages, hintAt, toast, log } = input
  return async ({ session, agent, text, typed = text, id }: UserMessage): Promise<void> => {
    const opened = await hive()
    const caller = { session, agent, tool: "user message" }
    const parent = await parentOf(session)
    if (parent !== null) {
      const child = beginChild(opened, caller, { session: parent, agent: agentOf(parent) }, text)
      await waitFor(child, "tying the subagent to its task")
      return
    }
    lastMessages.note(session, text)
    // The snapshot is not awaited here, but before the first call that may write.
    void tree.turnBegins(opened, session)
    // Imported only when needed, because OpenCode's start waits until the plugin is loaded.
    const { findIntentShift } = await import("../work/focus/intent-shift.ts")
    const { state } = opened.store.read()
    const shift = await runInSlices(findIntentShift(state, session, text))
    if (shift !== undefined) log("info", `intent ${shift.action} to task "${shift.task.title}"`)
    if (shift?.action === "move")
      await waitFor(shiftHead(opened, { ...caller, tool: INTENT_SHIFT }, shift.task.id), "the intent shift")
    const taskLine = shift?.action === "hint" ? taskHint(shift.task) : ""
    const taskId = currentTask(opened.store.read().state, session)?.id ?? null
    const { registers } = metricsOf(state, session)
    const isAnswer = registers["has_asked"] === 1
    // A session's first message is no correction: "do not change any files" is then the purpose of the session.
    const isFirst = registers[HOST_PROCESS] === undefined
    await waitFor(countEvent(opened, caller, { what: "user message", taskId, text }), "counting the message")
    const message = id ?? null
    const heard = await keepRules(opened, caller, { text: typed, id: message, isAnswer: isAnswer || isFirst })
    const { possible } = heard
    noteAsked(opened.store, session, possible === undefined ? undefined : { sentence: possible, message })
    const rules = heard.kept.map(({ mem }) => mem)
    hintAt(session, [taskLine, ruleHint(rules, possible !== undefined)].filter(Boolean).join("\n"))
    for (const { mem, replaced } of heard.kept) {
      const instead = replaced.map((old) => ` It replaces "${shorten(old.content, 60)}".`).join("")
      say(`Noted as a rule: "${shorten(mem.content, 80)}".${instead} /hive-forget drops it.`)
    }
    for (const { content } of heard.ended) say(`No longer a rule: "${shorten(content, 80)}".`)
    if (isFirst || rules.length + heard.ended.length > 0) return
    await waitFor(keepCorrection(opened, caller, typed, { isAnswer }), "keeping a correction")
  }

  function say(text: string): void {
    toast(text).catch((error: unknown) => log("info", "could not show toast", error))
  }

  /** If the host does not answer in time, the session counts as a top session, as nearly all sessions are. */
  async function parentOf(session: string): Promise<string | null> {
    try {
      const parent = await withTimeout(parents.of(session), 1000)
      if (parent.timedOut) log("info", `the host did not say in time whose session ${session} is`)
      return parent.timedOut ? null : parent.value
    } catch (error) {
      log("info", `the host did not say whose session ${session} is`, error)
      return null
    }
  }

  async function waitFor(work: Promise<unknown>, what: string): Promise<void> {
    if ((await withTimeout(work, WRITE_MS)).timedOut) log("info", `${what} took more than ${WRITE_MS} ms`)
  }
}

async function beginChild(
  hive: Hive,
  caller: SessionCaller & { agent: string },
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

export function lastMessages() {
  const texts = new BoundedMap<string, string>()
  return {
    note(session: string, text: string): void {
      texts.delete(session)
      texts.set(session, text.slice(0, 20_000))
    },
    of: (session: string): string | undefined => texts.get(session),
  }
}

export type LastMessages = ReturnType<typeof lastMessages>

export function sessionParents(ask: (session: string) => Promise<string | null>) {
  const parents = new BoundedMap<string, string | null>()
  return {
    learn: (session: string, parent: string | null): void => void parents.set(session, parent),
    async of(session: string): Promise<string | null> {
      const known = parents.get(session)
      if (known !== undefined) return known
      const parent = await ask(session)
      parents.set(session, parent)
      return parent
    },
  }
}

const WRITE_MS = 2000

export function taskHint({ id, title }: Pick<Task, "id" | "title">): string {
  const call = `${callText("task", "start")} ${shortId(id)}`
  return element("hint", {}, `The user may mean the task "${shorten(title, 80)}". If so: ${call}`)
}

function ruleHint(kept: readonly Pick<Mem, "id">[], mayHoldRule: boolean): string {
  const ids = kept.map(({ id }) => shortId(id)).join(" ")
  if (ids !== "") return element("hint", {}, `Noted as rules from this message: ${ids}`)
  if (!mayHoldRule) return ""
  return element("hint", {}, `If this is meant for the future too: ${callText("memory", "save")} kind rule`)
}
