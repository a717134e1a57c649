import { laterSessions } from "../graph/conversation.ts"
import { currentTask } from "../graph/current-task.ts"
import { ALL } from "../graph/indexes.ts"
import { sessionOf } from "../graph/read-head.ts"
import type { Hive } from "../hive/hive.ts"
import type { Task } from "../schemas/task.ts"
import { runInSlices } from "../shared/slices.ts"
import { withTimeout } from "../shared/timeout.ts"
import type { Log } from "../store/files/log-file.ts"
import { countEvent } from "../watch/count-event.ts"
import { waitingFor } from "../work/delegation/rules.ts"
import { bindSubagent } from "../work/delegation/run.ts"
import { findIntentShift } from "../work/focus/intent-shift.ts"
import { INTENT_SHIFT, shiftHead } from "../work/session/shift-head.ts"
import type { CallSnapshots } from "./call-snapshots.ts"
import type { LastMessages } from "./last-messages.ts"
import type { NewsInTurn } from "./news.ts"
import type { SessionParents } from "./session-parents.ts"

export interface UserMessage {
  session: string
  agent: string
  text: string
}

export interface UserMessageInput {
  hive: () => Promise<Hive>
  parents: SessionParents
  /** The agent that was last seen in a session. */
  agentOf: (session: string) => string | null
  news: NewsInTurn
  tree: CallSnapshots
  lastMessages: LastMessages
  /** The task that the session's message may mean, told to the model with the message. */
  hintAt: (session: string, task: Task | undefined) => void
  log: Log
}

/** What has to happen before a user message is answered: know whose session it is, follow a change of intent, count it. */
export function userMessage({
  hive,
  parents,
  agentOf,
  news,
  tree,
  lastMessages,
  hintAt,
  log,
}: UserMessageInput) {
  return async ({ session, agent, text }: UserMessage): Promise<void> => {
    const opened = await hive()
    news.begin(session, opened.store.read().state)
    const caller = { session, agent, tool: "user message" }
    const parent = await parentOf(session)
    if (parent !== null) {
      // A subagent's prompt is the coordinator's, not the user's: it moves nothing.
      const child = beginChild(opened, caller, { session: parent, agent: agentOf(parent) }, text)
      await waitFor(child, "tying the subagent to its task")
      return
    }
    lastMessages.note(session, text)
    // Not waited for: a call that may write waits for it.
    void tree.turnBegins(opened, session)
    const { state } = opened.store.read()
    const shift = await runInSlices(findIntentShift(state, session, text))
    if (shift !== undefined) log("info", `intent ${shift.action} to task "${shift.task.title}"`)
    if (shift?.action === "move")
      await waitFor(shiftHead(opened, { ...caller, tool: INTENT_SHIFT }, shift.task.id), "the intent shift")
    hintAt(session, shift?.action === "hint" ? shift.task : undefined)
    const taskId = currentTask(opened.store.read().state, session)?.id ?? null
    await waitFor(countEvent(opened, caller, { what: "user message", taskId, text }), "counting the message")
  }

  /** Without an answer in time it counts as a session of its own, as nearly all are. */
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

  /** A write that takes long goes on, but the user's message is answered meanwhile. */
  async function waitFor(work: Promise<unknown>, what: string): Promise<void> {
    if ((await withTimeout(work, WRITE_MS)).timedOut) log("info", `${what} took more than ${WRITE_MS} ms`)
  }
}

/** The first message of a subagent's session says what it was started for; a later one counts if work is waiting for it. */
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

const LOOKUP_MS = 1000
const WRITE_MS = 2000
