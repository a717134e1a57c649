import type { Runtime } from "../../dashboard/own-process.ts"
import type { Started } from "../../dashboard/start.ts"
import type { Log } from "../../store/files/log-file.ts"

/** Opens the dashboard in the user's browser. */
export const DASHBOARD_COMMAND = "hive-dashboard"

interface DashboardInput {
  directory: string
  env: Record<string, string | undefined>
  home: string
  toast: (message: string) => Promise<void>
  log: Log
  open?: (url: string) => void
  runtimes?: readonly Runtime[]
}

/**
 * Starts the dashboard where none runs yet. It is a process of its own, as a view of a large hive would block OpenCode, and
 * it ends with OpenCode.
 */
export function hostDashboard(input: DashboardInput) {
  const { log, toast } = input
  const started: Started[] = []
  let last = Promise.resolve()

  async function show(): Promise<void> {
    try {
      const { url, opens } = await findOrStart(input, started)
      const { openBrowser } = await import("../../dashboard/open-browser.ts")
      const open = input.open ?? openBrowser
      open(opens)
      await toast(`The dashboard is open in your browser. Or: ${url}`)
    } catch (error) {
      log("error", "the dashboard could not be shown", error)
      await toast("The dashboard could not be shown; .hivemind/system/log/ says why.").catch(() => {})
    }
  }

  return {
    /** One start after another, so that the second finds the first. */
    show(): Promise<void> {
      last = last.then(show)
      return last
    },
    async close(): Promise<void> {
      for (const dashboard of started.splice(0)) await dashboard.close()
    },
  }
}

async function findOrStart(
  { directory, env, home, log, runtimes }: DashboardInput,
  started: Started[],
): Promise<Pick<Started, "url" | "opens">> {
  // Needed for this command only.
  const [{ findDashboard, stateHomeIn }, { startOwnProcess }] = await Promise.all([
    import("../../dashboard/start.ts"),
    import("../../dashboard/own-process.ts"),
  ])
  const running = await findDashboard(stateHomeIn(env, home), directory)
  if (running !== undefined) return running
  const onError = (error: unknown) => log("error", "dashboard", error)
  const own = await startOwnProcess({ dir: directory, env, onError, ...(runtimes && { runtimes }) })
  if (own === undefined) throw new Error("neither node nor bun could be started")
  started.push(own)
  return own
}
