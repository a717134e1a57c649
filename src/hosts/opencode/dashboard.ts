import type { Runtime } from "../../dashboard/own-process.ts"
import type { Started } from "../../dashboard/start.ts"
import { locateHive } from "../../hive/locate.ts"
import { openReadingOld } from "../../migrate/fallback/open.ts"
import { systemSource } from "../../shared/ids.ts"
import type { Log } from "../../store/files/log-file.ts"

/** The command that shows the dashboard in the user's browser. */
export const DASHBOARD_COMMAND = "hive-dashboard"

interface DashboardInput {
  directory: string
  userConfig: string
  env: Record<string, string | undefined>
  home: string
  toast: (message: string) => Promise<void>
  log: Log
  open?: (url: string) => void
  runtimes?: readonly Runtime[]
}

/**
 * The user's dashboard, started where none runs yet, as a process of its own: a view of a large hive takes a while, and
 * OpenCode must not wait for it. It ends with OpenCode.
 */
export function hostDashboard(input: DashboardInput) {
  const { log, toast } = input
  const started: Started[] = []
  let last = Promise.resolve()

  async function show(): Promise<void> {
    try {
      const { url, opens, isInside } = await dashboardOf(input, started)
      const { openBrowser } = await import("../../dashboard/open-browser.ts")
      const open = input.open ?? openBrowser
      open(opens)
      await toast(`The dashboard is open in your browser${isInside ? `, ${SERVED_INSIDE}` : ""}. Or: ${url}`)
    } catch (error) {
      log("error", "the dashboard could not be shown", error)
      await toast("The dashboard could not be shown; .hivemind/system/log/ says why.").catch(() => {})
    }
  }

  return {
    /** One after another: the second finds the first. */
    show(): Promise<void> {
      last = last.then(show)
      return last
    },
    async close(): Promise<void> {
      for (const dashboard of started.splice(0)) await dashboard.close()
    },
  }
}

async function dashboardOf(
  { directory, userConfig, env, home, log, runtimes }: DashboardInput,
  started: Started[],
) {
  // Needed for this command only.
  const [{ startDashboard, findDashboard, stateHomeIn }, { startOwnProcess }] = await Promise.all([
    import("../../dashboard/start.ts"),
    import("../../dashboard/own-process.ts"),
  ])
  const stateHome = stateHomeIn(env, home)
  const onError = (error: unknown) => log("error", "dashboard", error)
  const running = await findDashboard(stateHome, directory)
  if (running !== undefined) return { ...running, isInside: false }
  const own = await startOwnProcess({ dir: directory, env, onError, ...(runtimes && { runtimes }) })
  const dashboard =
    own ??
    (await startDashboard({
      dir: directory,
      open: async (dir) => {
        const options = { name: "the dashboard", value: undefined }
        return (await openReadingOld(locateHive(dir), { source: systemSource, userConfig, options })).hive
      },
      stateHome,
      now: Date.now,
      onError,
    }))
  started.push(dashboard)
  const { url, opens } = dashboard
  return { url, opens, isInside: own === undefined }
}

const SERVED_INSIDE = "served by OpenCode itself, because neither node nor bun could be started beside it"
