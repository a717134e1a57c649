import { cp } from "node:fs/promises"
import { type Opencode, startOpencode } from "../../test/live/bed/opencode.ts"

/** One start of OpenCode, in ms from the spawn. */
export interface Start {
  /** Until it says that it listens. */
  listening: number
  /** Until it has loaded the project and its plugins. */
  loaded: number
}

export interface TimedHost {
  start: () => Promise<Start>
  close: () => Promise<void>
}

/**
 * A real OpenCode on a project with a graph. Each start is a new process on the same home, so its own set-up on the
 * first run is not measured.
 */
export async function timedHost(filled: string, withPlugin: boolean): Promise<TimedHost> {
  // Nothing is asked of the model, so its address may lead nowhere.
  const host = await startOpencode("http://127.0.0.1:9/v1", {
    ownHost: true,
    ...(withPlugin ? {} : { plugin: false }),
  })
  await cp(filled, host.project, { recursive: true })
  await load(host, withPlugin)
  return {
    start: async () => {
      await host.stop()
      const started = performance.now()
      await host.restart()
      const listening = performance.now() - started
      await load(host, withPlugin)
      return { listening, loaded: performance.now() - started }
    },
    close: host.close,
  }
}

/** The first request for a project makes the host load its plugins; the answer shows whether ours is among them. */
async function load(host: Opencode, withPlugin: boolean): Promise<void> {
  const url = `${host.url()}/experimental/tool/ids?directory=${encodeURIComponent(host.project)}`
  const tools: string[] = JSON.parse(await (await fetch(url)).text())
  const isLoaded = tools.some((tool) => tool.startsWith("hivemind_"))
  if (isLoaded !== withPlugin)
    throw new Error(`the plugin is ${isLoaded ? "" : "not "}loaded: ${tools.join()}`)
}
