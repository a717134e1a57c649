import type { Started } from "../../dashboard/start.ts"
import { locateHive } from "../../hive/locate.ts"
import { openHiveAt } from "../../hive/open.ts"
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
}

/** The user's dashboard, served from here where none runs yet. It ends with OpenCode. */
export function hostDashboard({ directory, userConfig, env, home, toast, log }: DashboardInput) {
  const started: Started[] = []
  return {
    async show(): Promise<void> {
      try {
        // Needed for this command only.
        const [{ startDashboard, stateHomeIn }, { openBrowser }] = await Promise.all([
          import("../../dashboard/start.ts"),
          import("../../dashboard/open-browser.ts"),
        ])
        const dashboard = await startDashboard({
          dir: directory,
          open: async (dir) => {
            const options = { name: "the dashboard", value: undefined }
            return (await openHiveAt(locateHive(dir), { source: systemSource, userConfig, options })).hive
          },
          stateHome: stateHomeIn(env, home),
          now: Date.now,
          onError: (error) => log("error", "dashboard", error),
        })
        started.push(dashboard)
        openBrowser(dashboard.url)
        await toast(`The dashboard is open in your browser: ${dashboard.url}`)
      } catch (error) {
        log("error", "the dashboard could not be shown", error)
        await toast("The dashboard could not be shown; .hivemind/system/log/ says why.").catch(() => {})
      }
    },
    async close(): Promise<void> {
      for (const dashboard of started.splice(0)) await dashboard.close()
    },
  }
}
