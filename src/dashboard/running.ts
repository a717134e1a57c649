import { randomBytes } from "node:crypto"
import * as z from "zod"
import type { Running } from "../store/files/dashboard-file.ts"
import { isSame, proofOf } from "./proof.ts"
import type { Invitations } from "./serve.ts"

/**
 * Addresses that show a project in a dashboard that runs already; undefined where it does not answer. Anybody may listen on
 * the port of one that was killed: so the token is not sent there, and only an answer that proves to know it counts.
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
    return undefined // Gone, or something else has its port now.
  }
}

async function shortText(answer: Response): Promise<string> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of answer.body ?? []) {
    size += part.length
    if (size > MAX_BYTES) throw new Error("That is no answer of ours.")
    parts.push(part)
  }
  return Buffer.concat(parts).toString("utf8")
}

const answered = z.object({ url: z.string(), opens: z.string(), proof: z.string() })
const ANSWER_MS = 3000
const MAX_BYTES = 10_000
