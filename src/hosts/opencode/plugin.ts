import { homedir } from "node:os"
import type { Plugin } from "@opencode-ai/plugin"
import { userConfigFile } from "../../hive/load-config.ts"
import { locateHive } from "../../hive/locate.ts"
import { configInOptions, isEnabledFor } from "../../hive/plugin-options.ts"
import { onceEach } from "../../shared/ids.ts"
import { connect } from "../connect.ts"
import { modelWindows } from "../model-windows.ts"
import { addAgentsAndCommands } from "./agents.ts"
import { readCall } from "./calls.ts"
import { must, openCodeHost } from "./client.ts"
import { hostDashboard } from "./dashboard.ts"
import { eventReader } from "./events.ts"
import { guarded, refusalOf } from "./guard.ts"
import { isOnlyShown, textOf } from "./message-parts.ts"
import { injectInto, modelName } from "./messages.ts"
import { addToResult, type HostResult, readResult } from "./results.ts"
import { ANSWERED, shownCommands } from "./shown-commands.ts"
import { hostTools } from "./tools.ts"

/** The plugin for OpenCode 1: each hook translates its input, calls HiveMind, and writes the answer back. */
export const openCodePlugin: Plugin = async (input, given) => {
  // The entry in the user-wide config names the projects that it is for.
  if (!isEnabledFor(locateHive(input.directory).home, given)) return {}
  const options = configInOptions(given)
  const home = homedir()
  const userConfig = userConfigFile(process.env, home)
  const { client, directory } = input
  const host = openCodeHost(input, { home, userConfig, options })
  const hivemind = connect(host)
  const { log, agentOf, hive } = hivemind
  const windows = modelWindows(async () => {
    const { providers } = must(await client.config.providers())
    return providers.flatMap(({ id: providerID, models }) =>
      Object.entries(models).map(
        ([modelID, { limit }]) => [modelName({ providerID, modelID }), limit] as const,
      ),
    )
  }, log)
  /** Sessions whose next request is a compaction: OpenCode announces it right before it asks. */
  const compacting = new Set<string>()
  const tools = hostTools(hivemind)
  const isNewFailure = onceEach()
  const dashboard = hostDashboard({ directory, env: process.env, toast: host.toast, log })
  const onEvent = eventReader(hivemind, compacting, windows.known, dashboard.show, isNewFailure)
  const showCommand = shownCommands({ client, hive, showDashboard: dashboard.show })
  let ownCommands: ReadonlySet<string> = new Set()
  /** By session, the prompt that a command has just been made into, and what of it the user typed. */
  const commandPrompts = new Map<string, { prompt: string; typed: string }>()
  const intoMessages = injectInto(hivemind, compacting, windows.known)

  /** On any failure the model answers. */
  async function answerCommand(command: string, session: string, words: string): Promise<boolean> {
    try {
      return await showCommand(command, session, words)
    } catch (error) {
      log("error", `/${command} could not be answered without the model`, error)
      return false
    }
  }

  const afterCall = guarded("tool.execute.after", log, async (result: HostResult) => {
    addToResult(result, await hivemind.afterCall(readResult(result)))
  })

  return {
    tool: tools.definitions,
    event: guarded("event", log, ({ event }) => onEvent(event)),
    config: guarded("config", log, (config) => {
      ownCommands = addAgentsAndCommands(config)
    }),
    "chat.message": guarded("chat.message", log, async ({ sessionID }, { message, parts }) => {
      if (isOnlyShown(parts)) return
      const text = textOf(parts)
      const command = commandPrompts.get(sessionID)
      commandPrompts.delete(sessionID)
      await windows.find(modelName(message.model))
      await hivemind.onUserMessage({
        session: sessionID,
        agent: message.agent,
        text,
        typed: command?.prompt === text ? command.typed : text,
        id: message.id,
      })
    }),
    "command.execute.before": async ({ command, sessionID, arguments: words }, made) => {
      // What our own commands are given is their subject: "/hive-forget never push".
      const prompt = textOf(made?.parts ?? [])
      commandPrompts.set(sessionID, { prompt, typed: ownCommands.has(command) ? "" : words })
      // `opencode run` would print the error: there the model answers.
      if (IS_ONE_SHOT || !ownCommands.has(command) || !(await answerCommand(command, sessionID, words)))
        return
      hivemind.between.commandRun(sessionID, command, words)
      throw new Error(ANSWERED)
    },
    // Throws on purpose, like the hook above: the refusal becomes the tool's error.
    "tool.execute.before": async (given, output) => {
      const refusal = await refusalOf(hivemind, directory, () => {
        const { tool, sessionID: session, callID: id } = given
        const host = { id, session, agent: agentOf(session), tool, args: output.args }
        return { host, call: readCall(host) }
      })
      if (refusal !== undefined) throw new Error(refusal)
    },
    "tool.execute.after": async ({ tool, sessionID: session, callID: id }, output) => {
      const reply = tools.takeReply(id)
      await afterCall({ id, session, agent: agentOf(session), tool, output, reply })
      if (reply?.status !== "error") return
      // A refusal of our own tools is shown as a failed call. The event that follows is not counted again.
      isNewFailure(id)
      throw new Error(output.output)
    },
    "tool.definition": guarded("tool.definition", log, ({ toolID }, shown) =>
      tools.showOwnSchema(toolID, shown),
    ),
    "shell.env": guarded("shell.env", log, ({ sessionID }, { env }) => {
      // By this the `hivemind` command knows that an agent has called it.
      if (sessionID !== undefined) env["HIVEMIND_SESSION"] = sessionID
    }),
    "experimental.chat.messages.transform": guarded("messages.transform", log, (_, output) =>
      intoMessages(output.messages),
    ),
    "experimental.chat.system.transform": guarded("system.transform", log, (_, { system }) => {
      // Title and compaction requests have the same session id, but only a conversation's prompt names the
      // working folder.
      if (system.some((text) => text.includes(input.directory))) system.push(hivemind.protocol)
    }),
    "experimental.session.compacting": guarded("session.compacting", log, async ({ sessionID }, output) => {
      try {
        const request = await hivemind.beforeCompaction(sessionID, output.prompt !== undefined)
        if (request === undefined) return
        if ("prompt" in request) output.prompt = request.prompt
        else output.context.push(request.context)
      } finally {
        // Last, also after an error: the very next request of the session is the compaction's own.
        compacting.add(sessionID)
      }
    }),
    dispose: guarded("dispose", log, async () => {
      dashboard.close()
      await hivemind.close()
    }),
  }
}

// The plugin runs in the process of the command itself.
const IS_ONE_SHOT = process.argv.slice(1, 3).includes("run")
