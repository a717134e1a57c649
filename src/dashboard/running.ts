import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import * as z from "zod"

const running = z.strictObject({ port: z.int().positive(), token: z.string().min(20) })
export type Running = z.infer<typeof running>

/** Where a user's dashboard can be found by their next command. Only they can read it. */
export function runningFile(path: string) {
  return {
    write(dashboard: Running): void {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      // Removed first: an old file's mode would stay.
      rmSync(path, { force: true })
      writeFileSync(path, JSON.stringify(dashboard), { mode: 0o600 })
    },
    /** Undefined where there is none. One that was killed leaves its file: whoever asks it gets no answer. */
    read(): Running | undefined {
      try {
        return running.safeParse(JSON.parse(readFileSync(path, "utf8"))).data
      } catch {
        return undefined // None, or torn.
      }
    },
    /** If it is still this one's. */
    remove({ token }: Running): void {
      if (this.read()?.token === token) rmSync(path, { force: true })
    },
  }
}

/** An address that shows a project in a dashboard that runs already; undefined where it does not answer. */
export async function askRunning({ port, token }: Running, dir: string): Promise<string | undefined> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/control?dir=${encodeURIComponent(dir)}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(ANSWER_MS),
    })
    const { url } = z.object({ url: z.string() }).parse(await answer.json())
    return url
  } catch {
    return undefined // Gone, or something else has its port now.
  }
}

const ANSWER_MS = 3000
