import { type HivePlace, locateHive } from "../../hive/locate.ts"
import { type Timed, withTimeout } from "../../shared/timeout.ts"
import { hasHive } from "../../store/files/layout.ts"
import { isKept } from "../../sync/restore.ts"
import { connect } from "../connect.ts"
import { type Fields, stringOf } from "../host-values.ts"
import type { HiveMind, Host } from "../port.ts"
import type { HookAgent } from "./agent.ts"
import { hookAgent } from "./agents.ts"
import { type Dispatcher, dispatcher } from "./dispatcher.ts"
import { hookHost, knownSessions } from "./hook-host.ts"
import { HOOK_TOOL, payloadOf, reportToDoctor } from "./hook-tool.ts"
import { claim, listenForHooks } from "./socket.ts"

export interface HookRequest {
  agent: string
  directory: string
  payload: Fields
}

/** The session and agent that called a HiveMind tool, and the HiveMind of their project. */
export interface HookedCaller {
  hivemind: HiveMind
  session: string
  agent: string
}

type HookHost = Pick<Host, "home" | "userConfig">

/** Answers hooks of any agent in any project; the answer is empty in a project without a hive. */
export function hookService({ limitMs, ...given }: HookHost & { limitMs?: () => number }) {
  const projects = new Map<string, { hivemind: HiveMind; dispatcher: Dispatcher; isWarm: boolean }>()

  async function project(agent: HookAgent, directory: string) {
    const place = locateHive(directory)
    const key = `${agent.name} ${place.dir}`
    const there = projects.get(key)
    if (there !== undefined) return there
    if (!(await isActive(place))) return undefined
    const known = knownSessions(agent)
    const hivemind = connect(hookHost(agent, known, { ...given, directory }))
    const fresh = { hivemind, dispatcher: dispatcher({ agent, hivemind, known, directory }), isWarm: false }
    // Another event may have connected the project meanwhile.
    const first = projects.get(key) ?? fresh
    projects.set(key, first)
    return first
  }

  return {
    /** Never rejects: after an error the answer is empty, and the agent goes on. */
    async answer({ agent: name, directory, payload }: HookRequest): Promise<string> {
      const agent = hookAgent(name)
      if (agent === undefined) return ""
      const found = await project(agent, directory)
      if (found === undefined) return ""
      const claimId = agent.claimId?.(payload)
      if (claimId !== undefined && !claim(claimId)) return ""
      const event = String(payload["hook_event_name"])
      const { log } = found.hivemind
      const limit = CALL_EVENTS.test(event) ? CALL_MS : found.isWarm ? EVENT_MS : FIRST_MS
      found.isWarm = true
      try {
        const handling = found.dispatcher.handle(payload)
        const answered: Timed<string> = await withTimeout(
          handling.then((answer) => agent.write(event, answer)),
          limitMs?.() ?? limit,
        )
        if (!answered.timedOut) return answered.value
        found.dispatcher.notRead(payload, handling)
        log("error", `the hook ${event} took too long; ${agent.title} went on without its answer`)
      } catch (error) {
        log("error", `the hook ${event} failed; ${agent.title} went on`, error)
      }
      return ""
    },
    callerOf(call: string | undefined, tool: string): HookedCaller | undefined {
      for (const { hivemind, dispatcher } of projects.values()) {
        const caller = dispatcher.callerOf(call, tool)
        if (caller !== undefined) return { hivemind, session: caller.id, agent: caller.agent }
      }
      return undefined
    },
    async close(): Promise<void> {
      await Promise.all([...projects.values()].map(({ hivemind }) => hivemind.close()))
    },
  }
}

/** True if the project has a hive, or a backup from which a deleted hive is restored. */
async function isActive(place: HivePlace): Promise<boolean> {
  return hasHive(place.home) || (await isKept(place).catch(() => false)) // An unreadable repository has no backup.
}

/** Answers hooks that arrive as calls of a hidden MCP tool, or from hook processes over a local socket. */
export async function hookServer(
  agent: HookAgent,
  agentPid: number,
  // Without a `directory`, the folder in each hook's payload is used.
  {
    directory,
    onError,
    ...given
  }: HookHost & { directory: string | undefined; onError: (error: unknown) => void },
) {
  const service = hookService(given)
  let isCalled = false
  /** Tool calls that came from a stand-in (see plugin-folders.ts), before the agent called this server for the first time. */
  const judged = new Set<unknown>()
  // Without a socket each hook process does the work itself.
  const socket = await listenForHooks(agentPid, async (request) => {
    const { hook_event_name, tool_use_id } = request.payload
    if (agent.callId !== undefined && hook_event_name === "PreToolUse") {
      if (isCalled) return ""
      judged.add(tool_use_id)
    }
    return service.answer(request)
  }).catch(onError)

  return {
    /** The answer to a hook that arrives as a tool call; undefined for any other call. */
    async answer({ name, arguments: args = {}, _meta = {} }: ToolRequest): Promise<string | undefined> {
      if (name !== HOOK_TOOL || agent.callId === undefined || agent.callId(_meta) !== undefined)
        return undefined
      const payload = payloadOf(args)
      isCalled = true
      socket?.isCalled()
      if (payload["hook_event_name"] === "PreToolUse" && judged.delete(payload["tool_use_id"])) return ""
      if (await reportToDoctor(payload["hook_event_name"])) return ""
      return service.answer({ agent: agent.name, directory: directory ?? stringOf(payload["cwd"]), payload })
    },
    /** The session that called a HiveMind tool; undefined if no hook announced the call. */
    callerOf: ({ name, _meta = {} }: ToolRequest): HookedCaller | undefined =>
      service.callerOf(agent.callId?.(_meta), name),
    async close(): Promise<void> {
      socket?.close()
      await service.close()
    },
  }
}

type ToolRequest = { name: string; arguments?: Fields | undefined; _meta?: Fields | undefined }

export type HookServer = Awaited<ReturnType<typeof hookServer>>

// Events around a tool call get more time: they wait for a snapshot, which has a limit of its own.
const CALL_EVENTS = /Tool/
const EVENT_MS = 2000
// The first event opens the hive.
const FIRST_MS = 4500
const CALL_MS = 12_000
