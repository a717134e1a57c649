import { homedir } from "node:os"
import type { Plugin } from "@opencode-ai/plugin"
import { userConfigFile } from "../../hive/load-config.ts"
import { onceEach } from "../../shared/once-each.ts"
import { withTimeout } from "../../shared/timeout.ts"
import { connect } from "../connect.ts"
import { addAgentsAndCommands } from "./agents.ts"
import { type HostCall, readCall } from "./calls.ts"
import { openCodeHost, textOf } from "./client.ts"
import { compactingSessions } from "./compacting.ts"
import { hostDashboard } from "./dashboard.ts"
import { eventReader } from "./events.ts"
import { guarded } from "./guard.ts"
import { injectInto } from "./messages.ts"
import { modelWindows } from "./model-windows.ts"
import { changesPlugins } from "./own-entry.ts"
import { addToResult, type HostResult, readResult } from "./results.ts"
import { hostTools } from "./tools.ts"

/** HiveMind in OpenCode 1: each hook turns what OpenCode gives into our words, calls HiveMind, and writes the answer back. */
export const openCodePlugin: Plugin = async (input, options) => {
  const home = homedir()
  const userConfig = userConfigFile(process.env, home)
  const host = openCodeHost(input, { home, userConfig, options })
  const hivemind = connect(host)
  const { log, agentOf } = hivemind
  const windows = modelWindows(input.client)
  const compacting = compactingSessions()
  const tools = hostTools(hivemind)
  const isNewFailure = onceEach()
  const { directory } = input
  const dashboard = hostDashboard({ directory, userConfig, env: process.env, home, toast: host.toast, log })
  const onEvent = eventReader(hivemind, compacting, windows.of, dashboard.show, isNewFailure)
  const intoMessages = injectInto(hivemind, compacting, windows.of)

  /** The window is nice to know; without it the usual budget holds. */
  async function learnWindow(model: Parameters<typeof windows.learn>[0]): Promise<void> {
    try {
      const { timedOut } = await withTimeout(windows.learn(model), LOOKUP_MS)
      if (timedOut) log("info", "model window unknown: the host did not answer in time")
    } catch (error) {
      log("error", "model window unknown", error)
    }
  }

  /** Why the call is refused. A fault of ours must not keep anybody from working. */
  async function judge(read: () => HostCall): Promise<string | undefined> {
    try {
      const given = read()
      const call = readCall(given)
      const changesLoading = call.use === "write" && (await changesOurEntry(given))
      return await hivemind.beforeCall({ ...call, changesLoading })
    } catch (error) {
      log("error", "tool.execute.before failed; the call was let through", error)
      return undefined
    }
  }

  async function changesOurEntry({ tool, args }: HostCall): Promise<boolean> {
    return changesPlugins(tool, args, input.directory).catch(() => false)
  }

  const afterCall = guarded("tool.execute.after", log, async (result: HostResult) => {
    addToResult(result, await hivemind.afterCall(readResult(result)))
  })

  return {
    tool: tools.definitions,
    event: guarded("event", log, ({ event }) => onEvent(event)),
    config: guarded("config", log, addAgentsAndCommands),
    "chat.message": guarded("chat.message", log, async ({ sessionID }, { message, parts }) => {
      await learnWindow(message.model)
      await hivemind.onUserMessage({ session: sessionID, agent: message.agent, text: textOf(parts) })
    }),
    // The one hook that throws on purpose: its refusal becomes the tool's error.
    "tool.execute.before": async (given, output) => {
      const refusal = await judge(() => {
        const { tool, sessionID: session, callID: id } = given
        return { id, session, agent: agentOf(session), tool, args: output.args }
      })
      if (refusal !== undefined) throw new Error(refusal)
    },
    "tool.execute.after": async ({ tool, sessionID: session, callID: id }, output) => {
      const reply = tools.takeReply(id)
      await afterCall({ id, session, agent: agentOf(session), tool, output, reply })
      if (reply?.status !== "error") return
      // What a tool of ours refuses is to look like a failure. The event that follows tells nothing new.
      isNewFailure(id)
      throw new Error(output.output)
    },
    "tool.definition": guarded("tool.definition", log, ({ toolID }, shown) =>
      tools.showOwnSchema(toolID, shown),
    ),
    "shell.env": guarded("shell.env", log, ({ sessionID }, { env }) => {
      // The command line knows by it that an agent has called it.
      if (sessionID !== undefined) env["HIVEMIND_SESSION"] = sessionID
    }),
    "experimental.chat.messages.transform": guarded("messages.transform", log, (_, output) =>
      intoMessages(output.messages),
    ),
    "experimental.chat.system.transform": guarded("system.transform", log, (_, { system }) => {
      // Hidden requests (titles, summaries, compaction) have the same session id and no name, but only a
      // conversation's prompt names the working folder.
      if (system.some((text) => text.includes(input.directory))) system.push(hivemind.protocol)
    }),
    "experimental.session.compacting": guarded("session.compacting", log, async ({ sessionID }, output) => {
      try {
        const request = await hivemind.beforeCompaction(sessionID, output.prompt !== undefined)
        if (request === undefined) return
        if ("prompt" in request) output.prompt = request.prompt
        else output.context.push(request.context)
      } finally {
        // Last, and whatever happened: the very next request of the session is the compaction's own.
        compacting.announce(sessionID)
      }
    }),
    dispose: guarded("dispose", log, async () => {
      await dashboard.close()
      await hivemind.close()
    }),
  }
}

const LOOKUP_MS = 1000
