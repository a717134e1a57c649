import { randomBytes } from "node:crypto"
import { join } from "node:path"
import type { Hive } from "../hive/hive.ts"
import { runningFile } from "../store/files/dashboard-file.ts"
import type { DoctorView } from "./answers/model.ts"
import { askRunning } from "./running.ts"
import { type Invitations, serveDashboard } from "./serve.ts"

export interface StartInput {
  /** Of the project that is to be shown. */
  dir: string
  open: (dir: string) => Promise<Hive>
  /** Where the user's programs keep their state. */
  stateHome: string
  port?: number
  now: () => number
  onError: (error: unknown) => void
  doctor?: (dir: string) => Promise<DoctorView>
}

export interface Started extends Invitations {
  /** False where one of the same user ran already, which shows this project too. */
  isNew: boolean
  /** Ends it, if it is this one's. */
  close: () => Promise<void>
}

/** The user's dashboard with this project in it: the one that runs, or a new one. */
export async function startDashboard(input: StartInput): Promise<Started> {
  const found = await findDashboard(input.stateHome, input.dir)
  if (found !== undefined) return { ...found, isNew: false, close: async () => {} }

  const token = randomBytes(32).toString("base64url")
  const dashboard = await serveDashboard({ ...input, token })
  const file = fileIn(input.stateHome)
  const running = { port: dashboard.port, token }
  file.write(running)
  const hive = await input.open(input.dir)
  const project = dashboard.add(hive)
  return {
    ...dashboard.invite(project),
    isNew: true,
    async close() {
      file.remove(running)
      await dashboard.close()
      await hive.store.close()
    },
  }
}

/** Addresses that show a project in the user's dashboard; undefined where none runs. */
export async function findDashboard(stateHome: string, dir: string): Promise<Invitations | undefined> {
  const running = fileIn(stateHome).read()
  return running === undefined ? undefined : askRunning(running, dir)
}

function fileIn(stateHome: string) {
  return runningFile(join(stateHome, "hivemind", "dashboard.json"))
}

export function stateHomeIn(env: Record<string, string | undefined>, home: string): string {
  return env["XDG_STATE_HOME"] || join(home, ".local", "state")
}
