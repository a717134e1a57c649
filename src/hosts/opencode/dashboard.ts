import type { OwnProcess, Runtime } from "../../dashboard/own-process.ts"
import type { Invitations } from "../../dashboard/serve.ts"
import type { Log } from "../../store/files/log-file.ts"

/** Opens the dashboard in the user's browser. */
export const DASHBOARD_COMMAND = "hive-dashboard"

interface DashboardInput {
  directory: string
  env: Record<string, string | undefined>
  toast: (message: string) => Promise<void>
  log: Log
  open?: (url: string) => void
  runtimes?: readonly Runtime[]
}

/**
 * Starts the dashboard with the first call. It is a process of its own, as a view of a large hive would block OpenCode, and it
 * ends with OpenCode.
 */
export function hostDashboard({ directory, env, toast, log, open, runtimes }: DashboardInput) {
  let running: OwnProcess | undefined
  let last = Promise.resolve()

  async function show(): Promise<void> {
    try {
      const { url, opens } = (await running?.invite()) ?? (await start())
      const { openBrowser } = await import("../../dashboard/open-browser.ts")
      ;(open ?? openBrowser)(opens)
      await toast(`The dashboard is open in your browser. Or: ${url}`)
    } catch (error) {
      log("error", "the dashboard could not be shown", error)
      await toast("The dashboard could not be shown; .hivemind/system/log/ says why.").catch(() => {})
    }
  }

  async function start(): Promise<Invitations> {
    const { startOwnProcess } = await import("../../dashboard/own-process.ts") // Needed for this command only.
    const onError = (error: unknown) => log("error", "dashboard", error)
    const started = await startOwnProcess({ dir: directory, env, onError, ...(runtimes && { runtimes }) })
    if (started === undefined) throw new Error("neither node nor bun could be started")
    running = started.running
    return started.first
  }

  return {
    /** One call after another, so that the second finds the process of the first. */
    show(): Promise<void> {
      last = last.then(show)
      return last
    },
    close: () => running?.close(),
  }
}
