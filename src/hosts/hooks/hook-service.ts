import { randomUUID } from "node:crypto"
import { type HivePlace, locateHive } from "../../hive/locate.ts"
import { type Timed, withTimeout } from "../../shared/timeout.ts"
import { hasHive } from "../../store/files/layout.ts"
import { isKept } from "../../sync/restore.ts"
import { connect } from "../connect.ts"
import type { Fields } from "../host-values.ts"
import type { HiveMind, Host } from "../port.ts"
import type { HookAgent } from "./agent.ts"
import { hookAgent } from "./agents.ts"
import { type Dispatcher, dispatcher } from "./dispatcher.ts"
import { hookHost, knownSessions } from "./hook-host.ts"

export interface HookRequest {
  /** The agent's name in `agents.ts`. */
  agent: string
  /** The folder that the agent works on. */
  directory: string
  payload: Fields
}

/** Who makes a call of one of our tools. */
export interface HookedCaller {
  hivemind: HiveMind
  session: string
  agent: string
}

/** An agent in a project, connected. */
interface HookedProject {
  hivemind: HiveMind
  dispatcher: Dispatcher
}

/**
 * Answers hooks, of any agent in any project. Projects without a hive are left alone: an agent's plugin may be loaded in all
 * of them.
 */
export function hookService({
  limitMs,
  ...given
}: Pick<Host, "home" | "userConfig"> & {
  /** How long an event may take; by default what the agents wait for. */
  limitMs?: () => number
}) {
  const projects = new Map<string, HookedProject>()
  const warm = new WeakSet<HookedProject>()

  async function project(agent: HookAgent, directory: string): Promise<HookedProject | undefined> {
    const place = locateHive(directory)
    const key = `${agent.name} ${place.dir}`
    const there = projects.get(key)
    if (there !== undefined) return there
    if (!(await isActive(place))) return undefined
    const known = knownSessions(agent)
    const hivemind = connect(hookHost(agent, known, { ...given, directory }))
    const fresh = {
      hivemind,
      dispatcher: dispatcher({ agent, hivemind, known, directory, newId: randomUUID }),
    }
    // Another event may have been faster.
    const first = projects.get(key) ?? fresh
    projects.set(key, first)
    return first
  }

  return {
    /** What the agent is to be answered, in its own form. Never rejects: on an error of ours the agent goes on. */
    async answer({ agent: name, directory, payload }: HookRequest): Promise<string> {
      const agent = hookAgent(name)
      if (agent === undefined) return ""
      const found = await project(agent, directory)
      if (found === undefined) return ""
      const event = String(payload["hook_event_name"])
      const { log } = found.hivemind
      const isFirst = !warm.has(found)
      warm.add(found)
      const limit = CALL_EVENTS.test(event) ? CALL_MS : isFirst ? FIRST_MS : EVENT_MS
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
    /** Waits for the steps behind the answers, within limits. */
    async close(): Promise<void> {
      await Promise.all([...projects.values()].map(({ hivemind }) => hivemind.close()))
    },
  }
}

/** A deleted hive is restored from its backup, so a project with a backup counts. */
async function isActive(place: HivePlace): Promise<boolean> {
  return hasHive(place.home) || (await isKept(place).catch(() => false)) // A repository that cannot be read has none.
}

// Events around a call: a snapshot has its own limit, and the call waits for it.
const CALL_EVENTS = /Tool/
const EVENT_MS = 2000
// The first one opens the hive.
const FIRST_MS = 4500
const CALL_MS = 12_000
