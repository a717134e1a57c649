import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:net"
import { type ServerProcess, startServer } from "./opencode-process.ts"
import { askForPlugin } from "./opencode2-plugin.ts"

export interface AskForTools {
  binary: string
  /** Which OpenCode it is: they are asked in different ways. */
  major: number
  projectDir: string
  env: Record<string, string | undefined>
  timeoutMs: number
}

export type ToolsAnswer =
  /** It runs; `complaints` are plugins that it could not load. */
  | { outcome: "answered"; tools: string[]; complaints: string[] }
  /** OpenCode 2 tells of plugins, not of tools. */
  | { outcome: "told"; isActive: boolean; complaints: string[] }
  /** It runs, but not in this project: its own words. */
  | { outcome: "refused"; message: string }
  | { outcome: "failed"; message: string }
  | { outcome: "timed_out"; message: string }

/** Starts the real OpenCode with the user's own config in the project, asks which tools it has, and ends it again. */
export async function askForTools(given: AskForTools): Promise<ToolsAnswer> {
  const { binary, major, projectDir, env, timeoutMs } = given
  // The server runs shell commands for every client, so a random password keeps others out while it is up.
  const password = randomBytes(24).toString("hex")
  const headers = { authorization: `Basic ${Buffer.from(`${USER}:${password}`).toString("base64")}` }
  const server = startServer(binary, await freePort(), {
    cwd: projectDir,
    env: {
      ...env,
      OPENCODE_SERVER_USERNAME: USER,
      OPENCODE_SERVER_PASSWORD: password,
      OPENCODE_PASSWORD: password,
    },
  })
  const deadline = AbortSignal.timeout(timeoutMs)
  try {
    if (major < 2) return await ask(server, projectDir, headers, deadline)
    const url = await Promise.race([server.listening, aborted(deadline)])
    return { outcome: "told", ...(await askForPlugin(url, projectDir, headers, deadline)) }
  } catch (error) {
    if (deadline.aborted) return { outcome: "timed_out", message: server.printed() }
    const reason = error instanceof Error ? error.message : String(error)
    return { outcome: "failed", message: `${reason}\n${server.printed()}`.trim() }
  } finally {
    await server.end()
  }
}

async function ask(
  server: ServerProcess,
  projectDir: string,
  headers: Record<string, string>,
  deadline: AbortSignal,
): Promise<ToolsAnswer> {
  const url = await Promise.race([server.listening, aborted(deadline)])
  const complaints: string[] = []
  const events = new AbortController()
  try {
    // Opened before the project loads: OpenCode reports a plugin that failed only here, and only once.
    const stream = await fetch(`${url}/global/event`, {
      headers,
      signal: AbortSignal.any([deadline, events.signal]),
    })
    if (stream.ok && stream.body !== null) void follow(stream.body, complaints)
    const query = new URLSearchParams({ directory: projectDir })
    const answer = await fetch(`${url}/experimental/tool/ids?${query}`, { headers, signal: deadline })
    const body: unknown = await answer.json()
    if (!answer.ok) return { outcome: "refused", message: refusal(body) }
    if (!Array.isArray(body)) return { outcome: "refused", message: "its list of tools was not a list" }
    await new Promise((resolve) => setTimeout(resolve, EVENTS_GRACE_MS))
    return { outcome: "answered", tools: body.map(String), complaints }
  } finally {
    events.abort()
  }
}

async function follow(body: AsyncIterable<Uint8Array>, complaints: string[]): Promise<void> {
  let text = ""
  const decoder = new TextDecoder()
  try {
    for await (const chunk of body) {
      text += decoder.decode(chunk, { stream: true })
      const lines = text.split("\n")
      text = lines.pop() ?? ""
      for (const line of lines) {
        const message = /"message":("Failed to (?:load|install) plugin (?:[^"\\]|\\.)*")/.exec(line)?.[1]
        if (message !== undefined) complaints.push(String(JSON.parse(message)))
      }
    }
  } catch {
    // The stream was closed, by us or with the server; what came before it counts.
  }
}

/** `{name, data: {path, message}}` in one text. */
function refusal(body: unknown): string {
  const data = typeof body === "object" && body !== null && "data" in body ? body.data : undefined
  if (typeof data !== "object" || data === null) return JSON.stringify(body)
  const path = "path" in data ? data.path : undefined
  const message = "message" in data ? data.message : undefined
  return [path, message].filter((part) => typeof part === "string").join(": ") || JSON.stringify(body)
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true })
  })
}

/** Not `--port 0`: OpenCode takes that for 4096 if it is free, which the user's own next start would want. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  await once(server, "close")
  return typeof address === "object" && address !== null ? address.port : 0
}

const USER = "opencode"
const EVENTS_GRACE_MS = 200
