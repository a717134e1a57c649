import type { OwnProcess, Runtime } from "../../dashboard/own-process.ts"
import type { Invitations } from "../../dashboard/serve.ts"
import type { Log } from "../../store/files/log-file.ts"

export const DASHBOARD_COMMAND = "hive-dashboard"

interface DashboardInput {
  directory: string
  env: Record<string, string | undefined>
  toast: (message: string) => Promise<void>
  log: Log
  open?: (url: string) => void
  runtimes?: readonly Runtime[]
}

/** Runs the dashboard in its own process, because a large hive would block OpenCode. The process ends with OpenCode. */
export function hostDashboard({ directory, env, toast, log, open, runtimes }: DashboardInput) {
  let running: OwnProcess | undefined
  let last = Promise.resolve()

  async function show(): Promise<void> {
    try {
      const { url, opens } = (await running?.invite()) ?? (await start())
      const { openBrowser } = await import("../../dashboard/open-browser.ts")
      ;(open ?? openBrowser)(opens)
      await toast(`The dashboard is open in your browser. Its address: ${url}`)
    } catch (error) {
      log("error", "the dashboard could not be shown", error)
      await toast("The dashboard could not be shown; .hivemind/system/log/ says why.").catch(() => {})
    }
  }

  async function start(): Promise<Invitations> {
    const { startOwnProcess } = await import("../../dashboard/own-process.ts") // Loaded on demand.
    const onError = (error: unknown) => log("error", "dashboard", error)
    const started = await startOwnProcess({ dir: directory, env, onError, ...(runtimes && { runtimes }) })
    if (started === undefined) throw new Error("neither node nor bun could be started")
    running = started.running
    return started.first
  }

  return {
    show(): Promise<void> {
      last = last.then(show)
      return last
    },
    close: () => running?.close(),
  }
}
