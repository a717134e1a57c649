import { warningElement } from "../../context/pack/record-items.ts"
import type { ToolCall } from "../../gate/call.ts"
import { locateHive } from "../../hive/locate.ts"
import { hivePaths } from "../../store/files/layout.ts"
import type { Fields } from "../host-values.ts"
import { readCall } from "../opencode/calls.ts"
import type { HiveMind } from "../port.ts"
import {
  type HookAgent,
  type HookAnswer,
  type HookCall,
  type HookEvent,
  type HookResult,
  NO_ANSWER,
  type Whose,
} from "./agent.ts"
import type { KnownSessions } from "./hook-host.ts"
import {
  forgetShown,
  type HookSession,
  holdsBack,
  newSession,
  newTurn,
  nextMessage,
  seenMessage,
  takeWaiting,
} from "./hook-session.ts"

export interface DispatcherInput {
  agent: HookAgent
  hivemind: HiveMind
  known: KnownSessions
  directory: string
  newId: () => string
}

/** Runs the events of one agent in one project, and says what the agent is to be answered. */
export function dispatcher({ agent, hivemind, known, directory, newId }: DispatcherInput) {
  const { between, log } = hivemind
  const paths = hivePaths(locateHive(directory).home)
  const sessions = new Map<string, HookSession>()
  /** Calls of our own tools under way, by id: the server that runs the tool asks whose call it is. */
  const ownCalls = new Map<string, { session: HookSession; tool: string }>()

  function sessionFor(whose: Whose): HookSession {
    const { session, subagent } = whose
    const id = subagent === null ? session : subagentSession(session, subagent.id)
    const there = sessions.get(id)
    if (there !== undefined) return there
    if (sessions.size === 0) between.processStarted()
    if (subagent !== null) hivemind.learnParent(id, session)
    between.sessionStarted(id, subagent !== null)
    const fresh = newSession(id, subagent?.type ?? agent.name, paths)
    sessions.set(id, fresh)
    return fresh
  }

  async function run(session: HookSession, whose: Whose, event: HookEvent): Promise<Partial<HookAnswer>> {
    switch (event.what) {
      case "session start":
        if (event.why !== "compact") return {}
        forgetShown(session)
        between.compacted(session.id)
        return event.isShown ? { show: await state(session, "") } : {}
      case "user message":
        endTurn(session, "cancelled turn")
        return { show: await userMessage(session, event.text) }
      case "before call":
        return beforeCall(session, whose, event.call)
      case "after call":
        await afterCall(session, whose, event.call, event.result)
        return {}
      case "calls done":
        endLostCalls(session, whose, event.calls ?? [])
        // After a compaction that no hook told of, and for a subagent that no hook named.
        if (agent.hidesSubagents && session.shown.length === 0)
          session.waiting.unshift(await state(session, ""))
        return { show: takeWaiting(session) }
      case "before compaction": {
        const request = await hivemind.beforeCompaction(session.id, false)
        return { keep: request === undefined ? "" : "prompt" in request ? request.prompt : request.context }
      }
      case "subagent start":
        return { show: await userMessage(session, promptFor(whose)) }
      case "stop": {
        known.said(session.id, event.said)
        const unmet = session.turn?.hasWorked === true ? await hivemind.unmet(session.id) : []
        if (holdsBack(session, unmet.join("\n"))) return { goOn: [BEFORE_STOP, ...unmet].join("\n") }
        endTurn(session, "good turn")
        return {}
      }
      case "subagent stop":
        known.said(session.id, event.said)
        endTurn(session, "good turn")
        return {}
      case "session end":
        endTurn(session, "cancelled turn")
        sessions.delete(session.id)
        return {}
      case "usage":
        between.answerCounted({ ...event.answer, session: session.id, agent: session.agent })
        return {}
    }
  }

  async function userMessage(session: HookSession, text: string): Promise<string> {
    session.turn ??= newTurn()
    const id = nextMessage(session, newId)
    await hivemind.onUserMessage({ session: session.id, agent: session.agent, text, id })
    return joined(await state(session, text, id), takeWaiting(session))
  }

  /** The block for a message: the whole state for the first one, later what changed. The agent keeps it in its history. */
  async function state(
    session: HookSession,
    text: string,
    id = nextMessage(session, newId),
  ): Promise<string> {
    if (session.unread > 0) forgetShown(session)
    const { id: of, shown } = session
    const isFirst = shown.length === 0
    const { protocol } = hivemind
    const { name, window } = known.modelOf(of)
    const maxBytes = agent.maxBytes && agent.maxBytes - Buffer.byteLength(protocol) - RESERVED_BYTES
    const seen = [...shown.map((earlier) => seenMessage(earlier, "")), seenMessage(id, text)]
    const { parts } = await hivemind.inject(of, seen, { name, window, maxBytes })
    shown.push(id)
    return joined(isFirst ? protocol : "", ...(parts.get(id) ?? []))
  }

  async function beforeCall(
    session: HookSession,
    whose: Whose,
    call: HookCall,
  ): Promise<Partial<HookAnswer>> {
    const read = toolCall(session, whose, call)
    const refusal = await hivemind.beforeCall(read)
    if (refusal !== undefined) {
      session.refused.add(call.id)
      return { deny: refusal }
    }
    session.open.set(call.id, read)
    if (read.own !== null) ownCalls.set(call.id, { session, tool: read.tool })
    // The message may have been answered by another process: the server starts beside it.
    session.turn ??= newTurn()
    session.turn.hasWorked ||= read.use === "write" || read.use === "run"
    if (agent.hidesSubagents && read.subagent !== null) await beginHidden(whose, call.id, read.subagent)
    return {}
  }

  async function beginHidden(
    whose: Whose,
    id: string,
    { agent: type, prompt }: { agent: string; prompt: string },
  ): Promise<void> {
    const child = sessionFor({ ...whose, subagent: { id, type } })
    await hivemind.onUserMessage({ session: child.id, agent: type, text: prompt })
  }

  /** A call while a subagent is at work is the subagent's, where the agent does not name it. */
  function withHiddenSubagent(whose: Whose, events: readonly HookEvent[]): Whose {
    if (!agent.hidesSubagents) return whose
    const [event] = events
    const open = [...(sessions.get(whose.session)?.open.values() ?? [])]
    const started = open.findLast(({ subagent }) => subagent !== null)
    if (started?.subagent == null || event === undefined || !("call" in event)) return whose
    if (event.call.id === started.id) return whose
    return { ...whose, subagent: { id: started.id, type: started.subagent.agent }, transcript: "" }
  }

  async function afterCall(
    session: HookSession,
    whose: Whose,
    { id, tool }: HookCall,
    { child = null, isSilent = false, isStopped = false, exit, ...result }: HookResult,
  ): Promise<void> {
    session.open.delete(id)
    ownCalls.delete(id)
    const { notes, warnings } = await hivemind.afterCall({
      ...{ ...result, id, tool, isSilent, isStopped, session: session.id, agent: session.agent },
      exit: exit ?? known.exitOf(session.id, id),
      child: child && { session: subagentSession(whose.session, child.id), report: child.report },
    })
    session.waiting.push(...notes, ...warnings.map((warning) => warningElement(warning)))
  }

  /** The agent's call in HiveMind's words, by way of OpenCode's. */
  function toolCall(session: HookSession, { cwd }: Whose, { id, tool, args }: HookCall): ToolCall {
    const own = agent.ownTool(tool)
    const words = own === undefined && Object.hasOwn(agent.tools, tool) ? agent.tools[tool] : undefined
    const renamed = Object.fromEntries(
      Object.entries(args).map(([name, value]) => [words?.args?.[name] ?? name, value]),
    )
    const read = readCall({
      ...{ id, session: session.id, agent: session.agent, tool: own ?? words?.is ?? tool },
      // The agent's shell keeps its folder from call to call.
      args: words?.is === "bash" ? { workdir: cwd, ...renamed } : renamed,
    })
    const subagent = read.subagent && { ...read.subagent, agent: agent.agentName(read.subagent.agent) }
    return { ...read, subagent, tool: own ?? tool, signature: [tool, args] }
  }

  /** Calls that ended without an event of their own: refused by the user, or with arguments that the agent refused. */
  function endLostCalls(session: HookSession, whose: Whose, calls: readonly StepCall[]): void {
    for (const { call, said, isError } of calls) {
      const open = session.open.get(call.id)
      session.open.delete(call.id)
      if (session.refused.delete(call.id) || (open === undefined && !isError)) continue
      const failed = open ?? toolCall(session, whose, call)
      between.callFailed({ call: failed, error: said, isStopped: false, rejection: null, child: null })
    }
  }

  /** A turn that the user stopped ends without an event: that is found at the next message. */
  function endTurn(session: HookSession, outcome: "good turn" | "cancelled turn"): void {
    for (const call of session.open.values())
      between.callFailed({ call, error: "", isStopped: true, rejection: null, child: null })
    session.open.clear()
    if (session.turn === undefined) return
    session.turn = undefined
    between.answerEnded(session.id, outcome, outcome === "good turn" ? known.lastAnswer(session.id) : "")
    between.turnEnded(session.id)
  }

  /** The task of a subagent that starts: the prompt of the call that started it, of several the first of its type. */
  function promptFor({ session, subagent }: Whose): string {
    const calls = sessions.get(session)?.open
    const starting = [...(calls?.values() ?? [])].find(
      ({ subagent: started }) => started?.agent === subagent?.type,
    )
    if (starting === undefined) return ""
    calls?.set(starting.id, { ...starting, subagent: null })
    return starting.subagent?.prompt ?? ""
  }

  /** News of the conversation's file: token counts, and prompts that the user typed while the agent worked. */
  async function readTranscript(session: HookSession, { transcript }: Whose): Promise<void> {
    for (const entry of await known.read(session.id, transcript)) {
      if (entry.what === "usage")
        between.answerCounted({ ...entry.answer, session: session.id, agent: session.agent })
      if (entry.what === "compacted") {
        forgetShown(session)
        between.compacted(session.id)
      }
      if (entry.what === "typed") session.waiting.push(await userMessage(session, entry.text))
    }
  }

  return {
    async handle(payload: Fields): Promise<HookAnswer> {
      const told = agent.whose(payload)
      const events = told.session === "" ? [] : agent.read(payload)
      const answer = { ...NO_ANSWER }
      if (events.length === 0) return answer
      const whose = withHiddenSubagent(told, events)
      const session = sessionFor(whose)
      if (whose.transcript !== "") await readTranscript(session, whose)
      for (const event of events) {
        const { show = "", ...rest } = await run(session, whose, event)
        Object.assign(answer, rest, { show: joined(answer.show, show) })
      }
      const show = withinBytes(answer.show, agent.maxBytes)
      if (show !== answer.show) log("info", `a text for ${session.id} was cut at ${agent.maxBytes} bytes`)
      return { ...answer, show, tell: known.takeToasts() }
    },
    /** An answer came too late: the model has not read it, so the next one has the whole state. */
    notRead(payload: Fields, handling: Promise<unknown>): void {
      const { session, subagent } = agent.whose(payload)
      const late = sessions.get(subagent === null ? session : subagentSession(session, subagent.id))
      if (late === undefined) return
      late.unread += 1
      const settle = () => {
        late.unread -= 1
        forgetShown(late)
      }
      handling.then(settle, settle)
    },
    /** Whose call of one of our tools it is. An agent that does not tell the call's id: the newest one of that tool. */
    callerOf(call: string | undefined, tool: string): Pick<HookSession, "id" | "agent"> | undefined {
      if (call !== undefined) return ownCalls.get(call)?.session
      return [...ownCalls.values()].findLast((each) => each.tool === tool)?.session
    },
  }
}

export type Dispatcher = ReturnType<typeof dispatcher>

type StepCall = NonNullable<Extract<HookEvent, { what: "calls done" }>["calls"]>[number]

/** The session of a subagent in our records: an agent gives it only an id of its own. */
function subagentSession(session: string, id: string): string {
  return `${session}-${id}`
}

function joined(...texts: string[]): string {
  return texts.filter((text) => text !== "").join("\n\n")
}

function withinBytes(text: string, max = Number.POSITIVE_INFINITY): string {
  if (Buffer.byteLength(text) <= max) return text
  // A character that was cut in two becomes a replacement character, and goes.
  return `${Buffer.from(text)
    .subarray(0, max - 4)
    .toString("utf8")
    .replace(/\uFFFD+$/, "")}…`
}

const BEFORE_STOP = "HiveMind: before you stop, see to these, or tell the user why not."
/** For notes and warnings that come with a block. */
const RESERVED_BYTES = 1500
