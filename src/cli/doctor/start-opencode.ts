import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:net"
import { endProcessTree, hasGroups } from "../../shared/end-process.ts"

interface StartInput {
  binary: string
  /** Which OpenCode it is: 1 is asked for its tools, 2 for its plugins. */
  major: number
  projectDir: string
  env: Record<string, string | undefined>
  timeoutMs: number
}

export type StartOutcome =
  /** It runs; `complaints` are plugins that it could not load. `tools`: of HiveMind; null for OpenCode 2. */
  | { outcome: "started"; isLoaded: boolean; tools: number | null; complaints: string[] }
  /** It runs, but not in this project: its own words. */
  | { outcome: "refused"; message: string }
  | { outcome: "failed"; message: string }
  | { outcome: "timed_out"; message: string }

/** Starts the real OpenCode with the user's own config in the project, asks whether it has HiveMind, and ends it again. */
export async function startOpencode(given: StartInput): Promise<StartOutcome> {
  const { binary, major, projectDir, env, timeoutMs } = given
  // The server runs shell commands for every client, so a random password keeps others out while it is up.
  const password = randomBytes(24).toString("hex")
  const authorization = `Basic ${Buffer.from(`${USER}:${password}`).toString("base64")}`
  const login = {
    OPENCODE_SERVER_USERNAME: USER,
    OPENCODE_SERVER_PASSWORD: password,
    OPENCODE_PASSWORD: password,
  }
  const server = startServer(binary, await freePort(), { cwd: projectDir, env: { ...env, ...login } })
  const deadline = AbortSignal.timeout(timeoutMs)
  const request = { headers: { authorization }, signal: deadline }
  try {
    const url = await Promise.race([server.listening, aborted(deadline)])
    return await (major < 2 ? askForTools : askForPlugin)(url, projectDir, request)
  } catch (error) {
    if (deadline.aborted) return { outcome: "timed_out", message: server.printed() }
    const reason = error instanceof Error ? error.message : String(error)
    return { outcome: "failed", message: `${reason}\n${server.printed()}`.trim() }
  } finally {
    await server.end()
  }
}

interface Request {
  headers: Record<string, string>
  signal: AbortSignal
}

/** OpenCode 1 lists its tools. */
async function askForTools(url: string, projectDir: string, request: Request): Promise<StartOutcome> {
  const complaints: string[] = []
  const events = new AbortController()
  try {
    // Opened before the project loads: OpenCode reports a plugin that failed only here, and only once.
    const signal = AbortSignal.any([request.signal, events.signal])
    const stream = await fetch(`${url}/global/event`, { ...request, signal })
    if (stream.ok && stream.body !== null) void collectComplaints(stream.body, complaints)
    const query = new URLSearchParams({ directory: projectDir })
    const answer = await fetch(`${url}/experimental/tool/ids?${query}`, request)
    const body: unknown = await answer.json()
    if (!answer.ok) return { outcome: "refused", message: refusalIn(body) }
    if (!Array.isArray(body)) return { outcome: "refused", message: "its list of tools was not a list" }
    await wait(EVENTS_GRACE_MS)
    const tools = body.map(String).filter((tool) => tool.startsWith("hivemind_"))
    const isLoaded = tools.includes("hivemind_session")
    return { outcome: "started", isLoaded, tools: tools.length, complaints }
  } finally {
    events.abort()
  }
}

async function collectComplaints(body: AsyncIterable<Uint8Array>, complaints: string[]): Promise<void> {
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
function refusalIn(body: unknown): string {
  const { data }: { data?: { path?: unknown; message?: unknown } | null } = Object(body)
  const parts = [data?.path, data?.message].filter((part) => typeof part === "string")
  return parts.join(": ") || JSON.stringify(body)
}

interface HostPlugin {
  id?: string
  status?: string
  source?: { path?: string }
  error?: unknown
}

/** OpenCode 2 lists its plugins. They are set up at the project's first use, and until then the list is empty. */
async function askForPlugin(url: string, projectDir: string, request: Request): Promise<StartOutcome> {
  const query = new URLSearchParams({ "location[directory]": projectDir })
  const told = { outcome: "started", tools: null } as const
  for (let asked = 0; ; asked++) {
    const answer = await fetch(`${url}/api/plugin?${query}`, request)
    const body: unknown = await answer.json()
    if (!answer.ok)
      return { ...told, isLoaded: false, complaints: [JSON.stringify(body).slice(0, MAX_SHOWN)] }
    const { data }: { data?: HostPlugin[] } = Object(body)
    const plugins = Array.isArray(data) ? data : []
    const isLoaded = plugins.some(({ id, status }) => id === "hivemind" && status === "active")
    const failed = plugins.filter(({ status }) => status === "failed")
    if (isLoaded || (plugins.length > 0 && asked >= ASK_AT_LEAST))
      return { ...told, isLoaded, complaints: failed.map(complaintOf) }
    await wait(ASK_EVERY_MS)
  }
}

/** Its error without the stack trace. */
function complaintOf({ source, error }: HostPlugin): string {
  const why = typeof error === "string" ? error.split(/\n\s+at [^[]/)[0] : JSON.stringify(error)
  return `Failed to load plugin ${source?.path ?? JSON.stringify(source)}: ${why}`.slice(0, MAX_SHOWN)
}

/** `opencode serve` as a child that cannot outlive this process. */
function startServer(
  binary: string,
  port: number,
  options: { cwd: string; env: Record<string, string | undefined> },
) {
  const args = ["serve", "--port", String(port), "--hostname", "127.0.0.1"]
  // A process group of its own, so that all of it can be ended at once.
  const child = spawn(binary, args, {
    ...options,
    detached: hasGroups(),
    windowsHide: true,
    stdio: ["ignore", "pipe", "pipe"],
  })
  let output = ""
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (output = (output + text).slice(-MAX_OUTPUT)))
  const listening = new Promise<string>((resolve, reject) => {
    child.stdout.on("data", () => {
      const url = /listening on (http:\S+)\s/.exec(output)?.[1]
      if (url !== undefined) resolve(url)
    })
    child.once("error", (cause) => reject(new Error(`it could not be run: ${cause.message}`)))
    child.once("exit", (code, signal) => reject(new Error(`it ended at once (${signal ?? code})`)))
  })
  // A caller that stopped waiting must not get an unhandled rejection later.
  listening.catch(() => {})

  const killGroup = () => endProcessTree(child.pid, "SIGKILL")
  const onSignal = (signal: NodeJS.Signals) => {
    killGroup()
    stopWatching()
    process.kill(process.pid, signal)
  }
  const stopWatching = () => {
    process.off("exit", killGroup)
    for (const signal of SIGNALS) process.off(signal, onSignal)
  }
  process.on("exit", killGroup)
  for (const signal of SIGNALS) process.on(signal, onSignal)

  return {
    /** Settles with its address when it listens; rejects if it ends before. */
    listening,
    /** The last lines it printed. */
    printed: () => output.trim().split("\n").slice(-LAST_LINES).join("\n"),
    end: async () => {
      if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
        const gone = once(child, "exit")
        child.kill("SIGTERM")
        const timer = setTimeout(killGroup, STOP_TIMEOUT_MS)
        await gone
        clearTimeout(timer)
      }
      killGroup()
      stopWatching()
    },
  }
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

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

const USER = "opencode"
const EVENTS_GRACE_MS = 200
const ASK_EVERY_MS = 200
/** Plugins are listed before they are all set up. */
const ASK_AT_LEAST = 10
const MAX_SHOWN = 500
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const
const STOP_TIMEOUT_MS = 3000
const MAX_OUTPUT = 100_000
const LAST_LINES = 5
