import { type Fields, stringOf } from "../host-values.ts"
import type { HookAgent } from "./agent.ts"
import { type HookedCaller, hookService } from "./hook-service.ts"
import { HOOK_TOOL, payloadOf, reportToDoctor } from "./hook-tool.ts"
import { listenForHooks } from "./socket.ts"

/** A request of the agent to run a tool of its MCP server. */
interface ToolRequest {
  name: string
  arguments?: Fields | undefined
  _meta?: Fields | undefined
}

/**
 * The hooks of the agent that has started this MCP server: those that it runs as calls of a tool, and those of its other
 * processes, which come over a local socket. The tool is in no list, so the model cannot call it.
 */
export async function hookServer(
  agent: HookAgent,
  agentPid: number,
  given: {
    /** The project's folder, where the agent tells its server; else each hook tells its own. */
    directory: string | undefined
    home: string
    userConfig: string | null
    onError: (error: unknown) => void
  },
) {
  const { directory, home, userConfig, onError } = given
  const service = hookService({ home, userConfig })
  // Without the socket each hook works by itself.
  const socket = await listenForHooks(agentPid, service.answer).catch(onError)

  return {
    /** The answer to a hook that the agent runs as a call of our tool; undefined for any other call. */
    async answer({
      name,
      arguments: given = {},
      _meta: meta = {},
    }: ToolRequest): Promise<string | undefined> {
      if (name !== HOOK_TOOL || agent.callId === undefined || agent.callId(meta) !== undefined)
        return undefined
      const payload = payloadOf(given)
      if (await reportToDoctor(payload["hook_event_name"])) return ""
      return service.answer({ agent: agent.name, directory: directory ?? stringOf(payload["cwd"]), payload })
    },
    /** Whose call of one of our tools it is; undefined if no hook has announced it. */
    callerOf: ({ name, _meta: meta = {} }: ToolRequest): HookedCaller | undefined =>
      service.callerOf(agent.callId?.(meta), name),
    async close(): Promise<void> {
      socket?.close()
      await service.close()
    },
  }
}

export type HookServer = Awaited<ReturnType<typeof hookServer>>
