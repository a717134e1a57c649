import { randomBytes } from "node:crypto"
import { join } from "node:path"
import * as z from "zod"
import type { Hive } from "../hive/hive.ts"
import { type Running, runningFile } from "../store/files/dashboard-file.ts"
import { isSame, proofOf } from "./access.ts"
import type { DoctorView } from "./answers/model.ts"
import { type Invitations, serveDashboard } from "./serve.ts"

export interface StartInput {
  /** The project to show. */
  dir: string
  open: (dir: string) => Promise<Hive>
  /** The folder where the user's programs keep their state. */
  stateHome: string
  port?: number
  now: () => number
  onError: (error: unknown) => void
  doctor?: (dir: string) => Promise<DoctorView>
  inactive?: (dir: string) => Promise<string | null>
}

export interface Started extends Invitations {
  /** False where the same user's dashboard ran already; it shows this project too. */
  isNew: boolean
  /** Ends the dashboard if this call started it. */
  close: () => Promise<void>
}

/** Adds the project to the user's running dashboard, or starts one with it. */
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

/** Addresses that show the project in the running dashboard; undefined where none runs. */
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

/**
 * Asks a running dashboard to show a project; undefined where it does not answer. Any program may listen on the port of a
 * killed dashboard: so the token is not sent, and only an answer that proves to know it counts.
 */
export async function askRunning({ port, token }: Running, dir: string): Promise<Invitations | undefined> {
  try {
    const nonce = randomBytes(16).toString("base64url")
    const answer = await fetch(`http://127.0.0.1:${port}/control?${new URLSearchParams({ dir, nonce })}`, {
      method: "POST",
      headers: { authorization: proofOf(token, "ask", nonce, dir) },
      redirect: "error",
      signal: AbortSignal.timeout(ANSWER_MS),
    })
    const { url, opens, proof } = answered.parse(JSON.parse(await shortText(answer)))
    return isSame(proof, proofOf(token, "answer", nonce, url, opens)) ? { url, opens } : undefined
  } catch {
    return undefined // It has ended, or another program has its port now.
  }
}

async function shortText(answer: Response): Promise<string> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of answer.body ?? []) {
    size += part.length
    if (size > MAX_BYTES) throw new Error("The answer is too long.")
    parts.push(part)
  }
  return Buffer.concat(parts).toString("utf8")
}

const answered = z.object({ url: z.string(), opens: z.string(), proof: z.string() })
const ANSWER_MS = 3000
const MAX_BYTES = 10_000
