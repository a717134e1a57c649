import { homedir } from "node:os"
import { userConfigFile } from "../../hive/load-config.ts"
import { forgetOldest } from "../../shared/once-each.ts"
import { withTimeout } from "../../shared/timeout.ts"
import { connect } from "../connect.ts"
import { guarded } from "../opencode/guard.ts"
import { changesPlugins } from "../opencode/own-entry.ts"
import { addAgents2, addCommands2 } from "./agents.ts"
import { callKey, readCall2 } from "./calls.ts"
import type { BeforeEvent, Context, ModelRef } from "./context.ts"
import { eventReader2 } from "./events.ts"
import { heardSoFar } from "./heard.ts"
import { openCode2Host } from "./host.ts"
import { injectInto2 } from "./messages.ts"
import { addToResult2, readResult2 } from "./results.ts"
import { hostTools2 } from "./tools.ts"

/** HiveMind in OpenCode 2, once for each project of its server. Returns what ends it. */
export async function setUp(context: Context): Promise<() => Promise<void>> {
  const { directory } = (await context.command.list()).location
  const home = homedir()
  const heard = heardSoFar()
  const hivemind = connect(
    openCode2Host(context, heard, {
      ...{ directory, home, options: context.options },
      userConfig: userConfigFile(process.env, home),
    }),
  )
  const { log } = hivemind
  const windows = modelWindows2(context, (error) => log("error", "model window unknown", error))
  // A hive that cannot be opened now may be mended later; nothing is allowed until the plugin is loaded anew.
  const mayRun = await hivemind.mayRunUnasked().catch((error: unknown) => {
    log("error", "the configuration could not be read", error)
    return false
  })
  const tools = hostTools2(hivemind, mayRun)
  const refused = new Map<string, string>()

  /** Why the call is refused. A fault of ours must not keep anybody from working. */
  async function judge(event: BeforeEvent): Promise<string | undefined> {
    try {
      const call = readCall2(event)
      const changesLoading = call.use === "write" && (await changesOurEntry(event))
      return await hivemind.beforeCall({ ...call, changesLoading })
    } catch (error) {
      log("error", "execute.before failed; the call was let through", error)
      return undefined
    }
  }

  async function changesOurEntry({ tool, input }: BeforeEvent): Promise<boolean> {
    const { path, ...rest } = input as Record<string, unknown>
    return changesPlugins(tool, { ...rest, filePath: path }, directory).catch(() => false)
  }

  await context.tool.transform((list) => {
    for (const definition of tools.definitions) list.add(definition)
  })
  await context.agent.transform(addAgents2)
  await context.command.transform(addCommands2)
  await context.session.hook("context", guarded("context", log, injectInto2(hivemind, windows.of)))
  await context.tool.hook("execute.before", async (event) => {
    const refusal = await judge(event)
    if (refusal === undefined) return
    const key = callKey(event)
    if (event.tool.startsWith("hivemind_")) tools.refuse(key, refusal)
    else if (CHECKED.has(event.tool)) {
      // What several calls of a step throw is mixed up. Arguments that the tool refuses by itself keep each apart.
      refused.set(key, refusal)
      // One that was stopped is never asked about again.
      if (refused.size > MAX_REFUSED) forgetOldest(refused)
      event.input = { [REFUSED]: true }
    } else throw new Error(refusal)
  })
  await context.tool.hook(
    "execute.after",
    guarded("execute.after", log, async (event) => {
      const refusal = refused.get(callKey(event))
      refused.delete(callKey(event))
      if (refusal !== undefined) {
        if (event.error !== undefined) event.error.message = refusal
        return
      }
      addToResult2(event, await hivemind.afterCall(readResult2(event)))
    }),
  )

  let isOver = false
  const onEvent = eventReader2(hivemind, heard, windows.known, directory)
  const listening = (async () => {
    for await (const event of context.event.subscribe()) {
      if (isOver) return
      try {
        onEvent(event)
      } catch (error) {
        log("error", `event ${event.type} failed`, error)
      }
    }
  })()
  listening.catch((error: unknown) => log("error", "events are heard no more", error))

  return async () => {
    isOver = true
    await hivemind.close()
  }
}

/** How many tokens each model takes. The catalogue is empty while plugins are set up, so it is asked later. */
function modelWindows2({ catalog }: Pick<Context, "catalog">, onError: (error: unknown) => void) {
  const windows = new Map<string, number>()
  const keyOf = ({ providerID, id }: ModelRef) => `${providerID}/${id}`
  let asked = false

  async function ask(): Promise<void> {
    for (const model of (await catalog.model.list()).data)
      if (model.limit?.context !== undefined && model.limit.context > 0)
        windows.set(keyOf(model), model.limit.context)
  }

  return {
    known: (model: ModelRef) => windows.get(keyOf(model)),
    async of(model: ModelRef): Promise<number | undefined> {
      if (!windows.has(keyOf(model)) && !asked) {
        asked = true
        await withTimeout(ask().catch(onError), LOOKUP_MS)
      }
      return windows.get(keyOf(model))
    },
  }
}

// Tools of OpenCode that check their arguments, and have some that must be there.
const CHECKED = new Set([
  "read",
  "write",
  "edit",
  "patch",
  "shell",
  "glob",
  "grep",
  "subagent",
  "webfetch",
  "websearch",
])
const REFUSED = "__refused"
const MAX_REFUSED = 1000
const LOOKUP_MS = 1000
