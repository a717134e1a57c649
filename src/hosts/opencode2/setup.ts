import { homedir } from "node:os"
import { userConfigFile } from "../../hive/load-config.ts"
import { locateHive } from "../../hive/locate.ts"
import { configInOptions, isEnabledFor } from "../../hive/plugin-options.ts"
import { BoundedMap } from "../../shared/ids.ts"
import { connect } from "../connect.ts"
import { modelWindows } from "../model-windows.ts"
import { guarded, refusalOf } from "../opencode/guard.ts"
import { addAgents2, addCommands2 } from "./agents.ts"
import { addToResult2, callKey, readCall2, readResult2 } from "./calls.ts"
import type { Context } from "./context.ts"
import { eventReader2, knownSessions, openCode2Host } from "./host.ts"
import { injectInto2 } from "./messages.ts"
import { hostTools2 } from "./tools.ts"

/** The plugin for OpenCode 2, set up once for each project of its server. */
export async function setUp(context: Context): Promise<() => Promise<void>> {
  const { directory } = (await context.command.list()).location
  // The plugin's entry in the user-wide config may be limited to some projects.
  if (!isEnabledFor(locateHive(directory).home, context.options)) return async () => {}
  const home = homedir()
  const known = knownSessions()
  const hivemind = connect(
    openCode2Host(context, known, {
      ...{ directory, home, options: configInOptions(context.options) },
      userConfig: userConfigFile(process.env, home),
    }),
  )
  const { log } = hivemind
  // The model catalogue is empty while plugins are set up, so it is read at the first request.
  const windows = modelWindows(async () => {
    const { data } = await context.catalog.model.list()
    return data.map(
      ({ providerID, id, limit }) => [`${providerID}/${id}`, { context: limit?.context ?? 0 }] as const,
    )
  }, log)
  // If the configuration cannot be read, no command runs until the plugin is loaded again.
  const mayRun = await hivemind.mayRunUnasked().catch((error: unknown) => {
    log("error", "the configuration could not be read", error)
    return false
  })
  const tools = hostTools2(hivemind, mayRun)
  const refused = new BoundedMap<string, string>()

  await context.tool.transform((list) => {
    for (const definition of tools.definitions) list.add(definition)
  })
  await context.agent.transform(addAgents2)
  await context.command.transform(addCommands2)
  await context.session.hook("context", guarded("context", log, injectInto2(hivemind, windows.find)))
  await context.tool.hook("execute.before", async (event) => {
    const refusal = await refusalOf(hivemind, directory, () => readCall2(event))
    if (refusal === undefined) return
    const key = callKey(event)
    if (event.tool.startsWith("hivemind_")) tools.refuse(key, refusal)
    else if (CHECKED.has(event.tool)) {
      // OpenCode 2 mixes up errors thrown for several calls of a step, so invalid arguments make the tool itself fail.
      refused.set(key, refusal)
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
  const onEvent = eventReader2(hivemind, known, windows.known, directory)
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
  listening.catch((error: unknown) => log("error", "the event stream ended", error))

  return async () => {
    isOver = true
    await hivemind.close()
  }
}

// OpenCode's tools that have required arguments and check them.
const CHECKED = new Set("read write edit patch shell glob grep subagent webfetch websearch".split(" "))
const REFUSED = "__refused"
