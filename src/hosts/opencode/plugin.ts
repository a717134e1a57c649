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
import { isOnlyShown, textOf, withoutArgumentQuotes } from "./message-parts.ts"
import { injectInto, modelName } from "./messages.ts"
import { addToResult, type HostResult, readResult } from "./results.ts"
import { ANSWERED, shownCommands } from "./shown-commands.ts"
import { hostTools } from "./tools.ts"

export const openCodePlugin: Plugin = async (input, given) => {
  // The plugin's entry in the user-wide config may be limited to some projects.
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
  /** Sessions whose next request is a compaction. OpenCode announces a compaction right before its request. */
  const compacting = new Set<string>()
  const tools = hostTools(hivemind)
  const isNewFailure = onceEach()
  const dashboard = hostDashboard({ directory, env: process.env, toast: host.toast, log })
  const onEvent = eventReader(hivemind, compacting, windows.known, dashboard.show, isNewFailure)
  const showCommand = shownCommands(client, hive, dashboard.show)
  let ownCommands: ReadonlySet<string> = new Set()
  /** By session: the prompt that OpenCode made of the last command, and the words that the user typed. */
  const commandPrompts = new Map<string, { prompt: string; typed: string }>()
  const intoMessages = injectInto(hivemind, compacting, windows.known)

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
      const text = withoutArgumentQuotes(textOf(parts))
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
      // Arguments of our own commands are not instructions: "/hive-forget never push" must not become a rule.
      const prompt = textOf(made?.parts ?? [])
      commandPrompts.set(sessionID, { prompt, typed: ownCommands.has(command) ? "" : words })
      // `opencode run` would print the error thrown below, so there the model answers the command.
      if (IS_ONE_SHOT || !ownCommands.has(command) || !(await answerCommand(command, sessionID, words)))
        return
      hivemind.between.commandRun(sessionID, command, words)
      throw new Error(ANSWERED)
    },
    // Throws on purpose: OpenCode shows the refusal as the tool's error.
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
      // A refusal by our own tool is shown as a failed call. Its error event must not be counted again.
      isNewFailure(id)
      throw new Error(output.output)
    },
    "tool.definition": guarded("tool.definition", log, ({ toolID }, shown) =>
      tools.showOwnSchema(toolID, shown),
    ),
    "shell.env": guarded("shell.env", log, ({ sessionID }, { env }) => {
      // This variable tells the `hivemind` command that an agent runs it.
      if (sessionID !== undefined) env["HIVEMIND_SESSION"] = sessionID
    }),
    "experimental.chat.messages.transform": guarded("messages.transform", log, (_, output) =>
      intoMessages(output.messages),
    ),
    "experimental.chat.system.transform": guarded("system.transform", log, (_, { system }) => {
      // Title and compaction requests have the same session id, but only a conversation's prompt names the folder.
      if (system.some((text) => text.includes(input.directory))) system.push(hivemind.protocol)
    }),
    "experimental.session.compacting": guarded("session.compacting", log, async ({ sessionID }, output) => {
      try {
        const request = await hivemind.beforeCompaction(sessionID, output.prompt !== undefined)
        if (request === undefined) return
        if ("prompt" in request) output.prompt = request.prompt
        else output.context.push(request.context)
      } finally {
        // Added last, also after an error: the session's next request is the compaction itself.
        compacting.add(sessionID)
      }
    }),
    dispose: guarded("dispose", log, async () => {
      dashboard.close()
      await hivemind.close()
    }),
  }
}

const IS_ONE_SHOT = process.argv.slice(1, 3).includes("run")
