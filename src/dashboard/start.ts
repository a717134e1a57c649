import { randomBytes } from "node:crypto"
import { join } from "node:path"
import type { Hive } from "../hive/hive.ts"
import { runningFile } from "../store/files/dashboard-file.ts"
import { askRunning } from "./running.ts"
import { serveDashboard } from "./serve.ts"

export interface StartInput {
  /** Of the project that is to be shown. */
  dir: string
  open: (dir: string) => Promise<Hive>
  /** Where the user's programs keep their state. */
  stateHome: string
  port?: number
  now: () => number
  onError: (error: unknown) => void
}

export interface Started {
  /** Opens the page once. */
  url: string
  /** False where one of the same user ran already, which shows this project too. */
  isNew: boolean
  /** Ends it, if it is this one's. */
  close: () => Promise<void>
}

/** The user's dashboard with this project in it: the one that runs, or a new one. */
export async function startDashboard(input: StartInput): Promise<Started> {
  const file = runningFile(join(input.stateHome, "hivemind", "dashboard.json"))
  const earlier = file.read()
  const found = earlier === undefined ? undefined : await askRunning(earlier, input.dir)
  if (found !== undefined) return { url: found, isNew: false, close: async () => {} }

  const token = randomBytes(32).toString("base64url")
  const dashboard = await serveDashboard({ ...input, token })
  const running = { port: dashboard.port, token }
  file.write(running)
  const hive = await input.open(input.dir)
  const project = dashboard.add(hive)
  return {
    url: dashboard.invite(project),
    isNew: true,
    async close() {
      file.remove(running)
      await dashboard.close()
      await hive.store.close()
    },
  }
}

export function stateHomeIn(env: Record<string, string | undefined>, home: string): string {
  return env["XDG_STATE_HOME"] || join(home, ".local", "state")
}
