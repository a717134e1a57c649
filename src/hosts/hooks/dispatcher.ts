import { warningElement } from "../../context/pack/record-items.ts"
import type { ToolCall } from "../../gate/call.ts"
import { locateHive } from "../../hive/locate.ts"
import { hivePaths } from "../../store/files/layout.ts"
import { type Fields, renamed } from "../host-values.ts"
import { readCall } from "../opencode/calls.ts"
import type { HiveMind } from "../port.ts"
import type { HookAgent, HookAnswer, HookCall, HookEvent, HookResult, Whose } from "./agent.ts"
import type { KnownSessions } from "./hook-host.ts"
import { HookSession } from "./hook-session.ts"

type DispatcherInput = { agent: HookAgent; hivemind: HiveMind; known: KnownSessions; directory: string }

/** Handles the hook events of one agent in one project, and returns the answers for the agent. */
export function dispatcher({ agent, hivemind, known, directory }: DispatcherInput) {
  const { between, log } = hivemind
  const paths = hivePaths(locateHive(directory).home)
  const sessions = new Map<string, HookSession>()
  /** Running calls of HiveMind's tools by call id: the MCP server looks up the session of a call here. */
  const ownCalls = new Map<string, { session: HookSession; tool: string }>()

  function sessionFor(whose: Whose): HookSession {
    const { session, subagent } = whose
    const id = sessionIdOf(whose)
    const there = sessions.get(id)
    if (there !== undefined) return there
    if (sessions.size === 0) between.processStarted()
    if (subagent !== null) hivemind.learnParent(id, session)
    between.sessionStarted(id, subagent !== null)
    const fresh = new HookSession(id, subagent?.type ?? agent.name, paths)
    sessions.set(id, fresh)
    return fresh
  }

  async function run(session: HookSession, whose: Whose, event: HookEvent): Promise<Partial<HookAnswer>> {
    switch (event.what) {
      case "session start":
        if (!event.isCompacted) return {}
        session.forgetShown()
        between.compacted(session.id)
        return { show: await state(session, "") }
      case "user message":
        endTurn(session, "cancelled turn")
        return { show: await userMessage(session, event.text) }
      case "before call":
        return beforeCall(session, whose, event.call)
      case "after call":
        await afterCall(session, whose, event.call, event.result)
        return {}
      case "calls done":
        recordLostCalls(session, whose, event.calls ?? [])
        // No state has been shown yet after a compaction that no hook reported, or to a subagent that no hook named.
        if (agent.hidesSubagents && session.shown.length === 0)
          session.waiting.unshift(await state(session, ""))
        return { show: session.takeWaiting() }
      case "before compaction": {
        const request = await hivemind.beforeCompaction(session.id, false)
        return { keep: request === undefined ? "" : "prompt" in request ? request.prompt : request.context }
      }
      case "subagent start":
        return { show: await userMessage(session, promptFor(whose)) }
      case "stop": {
        known.said(session.id, event.said)
        const unmet = session.turn?.hasWorked === true ? await hivemind.unmet(session.id) : []
        if (session.holdsBack(unmet.join("\n"))) return { goOn: [BEFORE_STOP, ...unmet].join("\n") }
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
    }
  }

  async function userMessage(session: HookSession, text: string): Promise<string> {
    session.beginTurn()
    const id = session.nextMessage()
    await hivemind.onUserMessage({ session: session.id, agent: session.agent, text, id })
    return joined(await state(session, text, id), session.takeWaiting())
  }

  /** HiveMind's text for one message: first the whole state, later its changes. The agent keeps it in its history. */
  async function state(session: HookSession, text: string, id = session.nextMessage()): Promise<string> {
    if (session.unread > 0) session.forgetShown()
    const { id: of, shown } = session
    const isFirst = shown.length === 0
    const { protocol } = hivemind
    const { name, window } = known.modelOf(of)
    const maxBytes = agent.maxBytes && agent.maxBytes - Buffer.byteLength(protocol) - RESERVED_BYTES
    const message = { role: "user", text: "", isCompactionRequest: false } as const
    const seen = [...shown.map((earlier) => ({ ...message, id: earlier })), { ...message, id, text }]
    const { parts } = await hivemind.inject(of, seen, { name, window, maxBytes })
    shown.push(id)
    return joined(isFirst ? protocol : "", ...(parts.get(id) ?? []))
  }

  async function beforeCall(session: HookSession, whose: Whose, call: HookCall) {
    const read = toolCall(session, whose, call)
    const refusal = await hivemind.beforeCall(read)
    if (refusal !== undefined) {
      session.refused.add(call.id)
      return { deny: refusal }
    }
    session.open.set(call.id, read)
    if (read.own !== null) ownCalls.set(call.id, { session, tool: read.tool })
    // This process may not know the turn: a message that came before the server ran was handled by another process.
    session.beginTurn().hasWorked ||= read.use === "write" || read.use === "run"
    if (agent.hidesSubagents && read.subagent !== null) {
      const { agent: type, prompt } = read.subagent
      const child = sessionFor({ ...whose, subagent: { id: call.id, type } })
      await hivemind.onUserMessage({ session: child.id, agent: type, text: prompt })
    }
    return {}
  }

  /** If the agent does not name subagents, a call while a subagent runs counts as the subagent's. */
  function withHiddenSubagent(whose: Whose, events: readonly HookEvent[]): Whose {
    if (!agent.hidesSubagents) return whose
    const [event] = events
    const open = [...(sessions.get(whose.session)?.open.values() ?? [])]
    const started = open.findLast(({ subagent }) => subagent !== null)
    const isAbout = event !== undefined && "call" in event && event.call.id !== started?.id
    if (started?.subagent == null || !isAbout) return whose
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
      child: child && { session: `${whose.session}-${child.id}`, report: child.report },
    })
    session.waiting.push(...notes, ...warnings.map((warning) => warningElement(warning)))
  }

  function toolCall(session: HookSession, { cwd }: Whose, { id, tool, args }: HookCall): ToolCall {
    const own = agent.ownTool.exec(tool)?.[1]
    const words = own === undefined && Object.hasOwn(agent.tools, tool) ? agent.tools[tool] : undefined
    // The agent's shell keeps its working folder between calls.
    const folder = words?.is === "bash" ? { workdir: cwd } : {}
    const read = readCall({
      ...{ id, session: session.id, agent: session.agent, tool: own ?? words?.is ?? tool },
      args: { ...folder, ...renamed(args, words?.args) },
    })
    const subagent = read.subagent && { ...read.subagent, agent: agent.agentName(read.subagent.agent) }
    return { ...read, subagent, tool: own ?? tool, signature: [tool, args] }
  }

  /** Records calls that failed without an event: the user refused them, or the agent refused their arguments. */
  function recordLostCalls(session: HookSession, whose: Whose, calls: readonly StepCall[]): void {
    for (const { call, said, isError } of calls) {
      const open = session.open.get(call.id)
      session.open.delete(call.id)
      if (session.refused.delete(call.id) || (open === undefined && !isError)) continue
      const failed = open ?? toolCall(session, whose, call)
      between.callFailed({ call: failed, error: said, isStopped: false, rejection: null, child: null })
    }
  }

  /** No event reports that the user stopped a turn, so the next message ends it. */
  function endTurn(session: HookSession, outcome: "good turn" | "cancelled turn"): void {
    for (const call of session.open.values())
      between.callFailed({ call, error: "", isStopped: true, rejection: null, child: null })
    session.open.clear()
    if (session.turn === undefined) return
    session.turn = undefined
    between.answerEnded(session.id, outcome, outcome === "good turn" ? known.lastAnswer(session.id) : "")
    between.turnEnded(session.id)
  }

  function promptFor({ session, subagent }: Whose): string {
    const calls = sessions.get(session)?.open ?? new Map<string, ToolCall>()
    for (const call of calls.values()) {
      if (call.subagent === null || call.subagent.agent !== subagent?.type) continue
      calls.set(call.id, { ...call, subagent: null })
      return call.subagent.prompt
    }
    return ""
  }

  async function readTranscript(session: HookSession, { transcript }: Whose): Promise<void> {
    for (const entry of await known.read(session.id, transcript)) {
      if (entry.what === "usage")
        between.answerCounted({ ...entry.answer, session: session.id, agent: session.agent })
      if (entry.what === "compacted") {
        session.forgetShown()
        between.compacted(session.id)
      }
      if (entry.what === "typed") session.waiting.push(await userMessage(session, entry.text))
    }
  }

  return {
    async handle(payload: Fields): Promise<HookAnswer> {
      const reported = agent.whose(payload)
      const events = reported.session === "" ? [] : agent.read(payload)
      const answer: HookAnswer = { show: "", deny: "", goOn: "", keep: "", tell: "" }
      if (events.length === 0) return answer
      const whose = withHiddenSubagent(reported, events)
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
    notRead(payload: Fields, handling: Promise<unknown>): void {
      const late = sessions.get(sessionIdOf(agent.whose(payload)))
      if (late === undefined) return
      late.unread += 1
      const settle = () => {
        late.unread -= 1
        late.forgetShown()
      }
      handling.then(settle, settle)
    },
    /** The session that called a HiveMind tool. Without a call id, the newest call of that tool counts. */
    callerOf(call: string | undefined, tool: string): Pick<HookSession, "id" | "agent"> | undefined {
      if (call !== undefined) return ownCalls.get(call)?.session
      return [...ownCalls.values()].findLast((each) => each.tool === tool)?.session
    },
  }
}

export type Dispatcher = ReturnType<typeof dispatcher>

type StepCall = NonNullable<Extract<HookEvent, { what: "calls done" }>["calls"]>[number]

function sessionIdOf({ session, subagent }: Whose): string {
  return subagent === null ? session : `${session}-${subagent.id}`
}

function joined(...texts: string[]): string {
  return texts.filter((text) => text !== "").join("\n\n")
}

function withinBytes(text: string, max = Number.POSITIVE_INFINITY): string {
  if (Buffer.byteLength(text) <= max) return text
  const cut = Buffer.from(text).subarray(0, max - 4)
  // A character that was cut in two becomes U+FFFD, which is removed.
  return `${cut.toString("utf8").replace(/\uFFFD+$/, "")}…`
}

const BEFORE_STOP = "HiveMind: before you stop, do the following, or tell the user why not."
/** Space that is left for notes and warnings shown together with the state. */
const RESERVED_BYTES = 1500
