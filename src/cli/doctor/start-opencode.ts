import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:net"
import { setTimeout as wait } from "node:timers/promises"
import { endProcessTree, hasGroups } from "../../shared/end-process.ts"

interface StartInput {
  binary: string
  /** OpenCode's major version. Version 1 lists its tools, version 2 its plugins. */
  major: number
  projectDir: string
  env: Record<string, string | undefined>
  timeoutMs: number
}

export type StartOutcome =
  /** `tools` counts HiveMind's tools (null for OpenCode 2); `complaints` are errors of plugins that did not load. */
  | { outcome: "started"; isLoaded: boolean; tools: number | null; complaints: string[] }
  | { outcome: "refused"; message: string }
  | { outcome: "failed"; message: string }
  | { outcome: "timed_out"; message: string }

/** Starts the real OpenCode with the user's own config, checks whether it has loaded HiveMind, and stops it. */
export async function startOpencode(given: StartInput): Promise<StartOutcome> {
  const { binary, major, projectDir, env, timeoutMs } = given
  // The server runs shell commands for every client, so a random password keeps others out while it is up.
  const password = randomBytes(24).toString("hex")
  const authorization = `Basic ${Buffer.from(`${USER}:${password}`).toString("base64")}`
  const passwords = { OPENCODE_SERVER_PASSWORD: password, OPENCODE_PASSWORD: password }
  const login = { OPENCODE_SERVER_USERNAME: USER, ...passwords }
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

type Request = { headers: Record<string, string>; signal: AbortSignal }

async function askForTools(url: string, projectDir: string, request: Request): Promise<StartOutcome> {
  const complaints: string[] = []
  const events = new AbortController()
  try {
    // The event stream is opened before the project loads: OpenCode reports a failed plugin only there, and only once.
    const signal = AbortSignal.any([request.signal, events.signal])
    const stream = await fetch(`${url}/global/event`, { ...request, signal })
    if (stream.ok && stream.body !== null) void collectComplaints(stream.body, complaints)
    const query = new URLSearchParams({ directory: projectDir })
    const answer = await fetch(`${url}/experimental/tool/ids?${query}`, request)
    const body: unknown = await answer.json()
    if (!answer.ok) return { outcome: "refused", message: refusalIn(body) }
    if (!Array.isArray(body)) return { outcome: "refused", message: "its list of tools was not an array" }
    await wait(200)
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
    // The event stream was closed, by us or by the server. Error messages collected so far are kept.
  }
}

function refusalIn(body: unknown): string {
  const { data }: { data?: { path?: unknown; message?: unknown } | null } = Object(body)
  const parts = [data?.path, data?.message].filter((part) => typeof part === "string")
  return parts.join(": ") || JSON.stringify(body)
}

type HostPlugin = { id?: string; status?: string; source?: { path?: string }; error?: unknown }

/** OpenCode 2 lists its plugins. The list is empty until the project is used, so the request is repeated. */
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
    await wait(200)
  }
}

function complaintOf({ source, error }: HostPlugin): string {
  const why = typeof error === "string" ? error.split(/\n\s+at [^[]/)[0] : JSON.stringify(error)
  return `Failed to load plugin ${source?.path ?? JSON.stringify(source)}: ${why}`.slice(0, MAX_SHOWN)
}

/** Starts `opencode serve` as a child process that is killed when this process ends. */
function startServer(binary: string, port: number, place: { cwd: string; env: StartInput["env"] }) {
  const args = ["serve", "--port", String(port), "--hostname", "127.0.0.1"]
  // The server gets its own process group, so that its child processes can be killed with it.
  const options = { ...place, detached: hasGroups(), windowsHide: true }
  const child = spawn(binary, args, { ...options, stdio: ["ignore", "pipe", "pipe"] })
  let output = ""
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (output = (output + text).slice(-MAX_OUTPUT)))
  const listening = new Promise<string>((resolve, reject) => {
    child.stdout.on("data", () => {
      const url = /listening on (http:\S+)\s/.exec(output)?.[1]
      if (url !== undefined) resolve(url)
    })
    child.once("error", (cause) => reject(new Error(`the program could not be run: ${cause.message}`)))
    child.once("exit", (code, signal) => reject(new Error(`the program ended at once (${signal ?? code})`)))
  })
  // Prevents an unhandled rejection if the server fails after the caller has timed out.
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
    listening,
    printed: () => output.trim().split("\n").slice(-LAST_LINES).join("\n"),
    end: async () => {
      if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
        const gone = once(child, "exit")
        child.kill("SIGTERM")
        const timer = setTimeout(killGroup, 3000)
        await gone
        clearTimeout(timer)
      }
      killGroup()
      stopWatching()
    },
  }
}

async function aborted(signal: AbortSignal): Promise<never> {
  await once(signal, "abort")
  throw signal.reason
}

/** `--port 0` is not used: OpenCode would take port 4096 if it is free, which the user's own OpenCode may need. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  await once(server, "close")
  return typeof address === "object" && address !== null ? address.port : 0
}

const USER = "opencode"
/** After this many answers without HiveMind it counts as not loaded: OpenCode answers before its plugins are active. */
const ASK_AT_LEAST = 10
const MAX_SHOWN = 500
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const
const MAX_OUTPUT = 100_000
const LAST_LINES = 5
