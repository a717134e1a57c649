import { homedir } from "node:os"
import type { PluginModule } from "@opencode-ai/plugin"
import { createInjector } from "./context/inject/injector.ts"
import type { Hive } from "./hive/hive.ts"
import { openHiveIn } from "./hive/open.ts"
import { userConfigFile } from "./hive/user-config.ts"
import { configHook } from "./hosts/opencode/config.ts"
import { eventHook } from "./hosts/opencode/event.ts"
import { guarded } from "./hosts/opencode/guard.ts"
import { messagesTransformHook } from "./hosts/opencode/messages-transform.ts"
import { modelWindows } from "./hosts/opencode/model-windows.ts"
import {
  childOf,
  lastSummaryOf,
  lastWordsOf,
  parentAsker,
  projectDir,
  reportOf,
  sessionPort,
  textOf,
  toastWith,
  toHostTool,
} from "./hosts/opencode/opencode.ts"
import { systemTransformHook } from "./hosts/opencode/system-transform.ts"
import { evidenceCheck } from "./knowledge/memory/evidence.ts"
import { fileLook } from "./project/document/file-look.ts"
import { defaultConfig } from "./schemas/config.ts"
import { systemSource } from "./shared/ids.ts"
import { openLog } from "./store/files/log-file.ts"
import { hivePaths } from "./store/layout.ts"
import { tools } from "./tools/index.ts"
import { chatMessageHook } from "./turns/chat-message.ts"
import { compactingHook, compactingSessions } from "./turns/compacting.ts"
import { MORE_HINT } from "./turns/protocol.ts"
import { sessionParents } from "./turns/session-parents.ts"
import { toolAfterHook } from "./turns/tool-after.ts"
import { type PassedCalls, toolGateHook } from "./turns/tool-gate.ts"
import { createValidation } from "./watch/validation/validation.ts"
import { returnChild } from "./work/delegation/run.ts"

const plugin: PluginModule = {
  id: "hivemind",
  server: async (input, options) => {
    const dir = projectDir(input)
    const paths = hivePaths(dir)
    const source = systemSource
    let config = defaultConfig
    const { log } = openLog(paths, source.now, () => config.log_level)
    const toast = toastWith(input.client)

    // Opened on first use: OpenCode's start waits for nothing of ours.
    let opened: Promise<Hive> | undefined
    const hive = () => {
      // A failure is not kept: what caused it may be mended while OpenCode runs.
      opened ??= open().catch((error: unknown) => {
        opened = undefined
        throw error
      })
      return opened
    }
    async function open(): Promise<Hive> {
      const { hive: fresh, configProblems } = await openHiveIn(dir, {
        source,
        userConfig: userConfigFile(process.env, homedir()),
        options: { name: "the plugin's options", value: options },
        onBackgroundError: (error) => log("error", "fold failed", error),
        host: sessionPort(input.client),
      })
      config = fresh.config
      for (const problem of configProblems) log("error", `config: ${problem}`)
      return fresh
    }

    const windows = modelWindows(input.client)
    const parents = sessionParents(parentAsker(input.client))
    const compacting = compactingSessions()
    const onError = (what: string, error: unknown) => {
      log("error", what, error)
      toast(`HiveMind: ${what}`).catch((cause: unknown) => log("error", "no toast", cause))
    }
    const files = fileLook(dir)
    const evidence = evidenceCheck(dir, files)
    const injector = createInjector({ paths, evidence, files, more: MORE_HINT, onError })

    const agents = new Map<string, string>()
    const agentOf = (session: string) => agents.get(session) ?? null
    const calls: PassedCalls = new Map()
    const gate = toolGateHook(
      { hive, projectDir: dir, directory: input.directory, home: homedir(), log },
      calls,
    )
    const afterTool = toolAfterHook({
      hive,
      calls,
      injections: injector.injections,
      onSubagentEnd: async (session, { output }) => {
        const child = childOf(output.metadata)
        const caller = { session, agent: agentOf(session), tool: "tool task" }
        if (child !== undefined) await returnChild(await hive(), caller, child, reportOf(output.output))
      },
    })

    const lastWords = lastWordsOf(input.client)
    const lastSummary = lastSummaryOf(input.client)
    const validate = createValidation(files, (session) => injector.injections(session).length)
    const onEvent = eventHook({ hive, log, toast, parents, compacting, lastWords, lastSummary, validate })
    const beforeCompaction = compactingHook({ hive, compacting, lastSummary, log })
    const onMessage = chatMessageHook({ hive, parents, learnWindow: windows.learn, agentOf, log })
    const intoMessages = messagesTransformHook({
      hive,
      injector,
      takeCompacting: compacting.take,
      windowOf: windows.of,
    })
    const intoSystem = systemTransformHook(input.directory)

    return {
      tool: Object.fromEntries(tools.map((tool) => [tool.name, toHostTool(tool, hive)])),
      event: guarded("event", log, onEvent),
      config: guarded("config", log, configHook),
      "chat.message": guarded("chat.message", log, ({ sessionID }, { message, parts }) => {
        agents.set(sessionID, message.agent)
        return onMessage({
          session: sessionID,
          agent: message.agent,
          text: textOf(parts),
          model: message.model,
        })
      }),
      // The one hook that throws on purpose: its refusal becomes the tool's error.
      "tool.execute.before": ({ tool, sessionID, callID }, { args }) =>
        gate({ tool, session: sessionID, callID, agent: agentOf(sessionID), args }),
      "tool.execute.after": guarded("tool.execute.after", log, ({ tool, sessionID, callID }, output) =>
        afterTool({ tool, session: sessionID, callID, agent: agentOf(sessionID), output }),
      ),
      "experimental.chat.messages.transform": guarded("messages.transform", log, (_, output) =>
        intoMessages(output.messages),
      ),
      "experimental.chat.system.transform": guarded("system.transform", log, (_, output) =>
        intoSystem(output.system),
      ),
      "experimental.session.compacting": guarded("session.compacting", log, ({ sessionID }, output) =>
        beforeCompaction(sessionID, output),
      ),
      dispose: guarded("dispose", log, async () => (await opened)?.store.close()),
    }
  },
}

export default plugin
