import * as z from "zod"
import type { Running } from "../store/files/dashboard-file.ts"

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
