import { type ChildProcess, spawn } from "node:child_process"
import { randomInt } from "node:crypto"
import { once } from "node:events"
import { rmSync } from "node:fs"
import { createServer } from "node:net"
import { basename, join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { forgetFolder, noteFolder } from "./end-hosts.ts"
import { releaseOnExit } from "./exit-guard.ts"
import { findOpencode } from "./opencode-binary.ts"
import { endTree, killTree } from "./process-tree.ts"
import { makeHome, makeProject, REPOSITORY, type ScratchHome, type ScratchOptions } from "./scratch.ts"

const START_TIMEOUT_MS = 60_000
const POLL_MS = 10
// Below the range from which systems take ports for outgoing connections.
const PORTS = [20_000, 32_000] as const
// Printed by the host itself; everything else comes from a plugin.
const HOST_LINES = /^(Warning: OPENCODE_SERVER_PASSWORD is not set|(opencode )?server listening on )/

export interface Opencode {
  project: string
  url: () => string
  printed: () => string
  stop: () => Promise<void>
  kill: () => Promise<void>
  restart: () => Promise<void>
  /** Unloads the project from a shared host; ends a host of its own and removes its folders. */
  close: () => Promise<void>
}

export interface Binary {
  command: string
  args: string[]
  env?: Record<string, string>
  /** Unloads a project from a running host. OpenCode 2 has no call for it: its projects stay loaded until it ends. */
  unload?: (url: string, project: string) => Promise<unknown>
}

/** A real `opencode serve` with a scratch project, talking to the model at `modelUrl`. */
export async function startOpencode(modelUrl: string, options: ScratchOptions): Promise<Opencode> {
  const unload = async (url: string, project: string) => {
    const path = `/instance/dispose?directory=${encodeURIComponent(project)}`
    const { ok, status } = await fetch(url + path, { method: "POST" })
    if (!ok) throw new Error(`OpenCode did not unload ${project}: ${status}`)
  }
  return serveProject({ command: findOpencode(REPOSITORY), args: [], unload }, modelUrl, options)
}

/** A start takes seconds, so a test worker keeps one host per binary for its beds. */
const sharedHosts = new Map<string, HostProcess>()
let projects = 0

/** Serves a new project in the worker's shared host, or in one of its own if asked for or the shared one is in use. */
export async function serveProject(
  binary: Binary,
  modelUrl: string,
  options: ScratchOptions,
): Promise<Opencode> {
  const key = [binary.command, ...binary.args].join(" ")
  const shared = sharedHosts.get(key)
  const isShared = !options.ownHost && options.env === undefined && shared?.inUse !== true
  const host = (isShared && shared) || new HostProcess(binary, options.env)
  if (isShared) sharedHosts.set(key, host)
  host.inUse = true
  const printedFrom = host.output.length
  projects += 1
  const project = join(host.home.root, isShared ? `project-${projects}` : "project")
  const close = async () => {
    // The folder of a shared host's project goes with its home: the plugin may still finish a write after it was unloaded.
    if (isShared) await host.unload(project)
    else await host.close()
    host.inUse = false
  }
  try {
    makeProject(host.home, basename(project), modelUrl, options)
    await host.start()
  } catch (cause) {
    await close()
    throw cause
  }
  return {
    project,
    url: () => host.url,
    printed: () => {
      const lines = host.output.slice(printedFrom).join("").split("\n")
      return lines.filter((line) => line !== "" && !HOST_LINES.test(line)).join("\n")
    },
    stop: () => host.end("SIGTERM"),
    kill: () => host.end("SIGKILL"),
    restart: async () => {
      await host.end("SIGTERM")
      await host.start()
    },
    close,
  }
}

/** One server process with a home folder of its own; it ends with the test worker at the latest. */
class HostProcess {
  readonly home: ScratchHome
  readonly output: string[] = []
  inUse = false
  url = ""
  #running: ChildProcess | undefined
  readonly #binary: Binary
  readonly #forget: () => void

  constructor(binary: Binary, env: Record<string, string> = {}) {
    this.#binary = binary
    this.home = makeHome({ ...binary.env, ...env })
    this.#forget = releaseOnExit(() => {
      if (this.#running) killTree(this.#running)
      // The killed processes may take a moment to let go of their files.
      rmSync(this.home.root, { recursive: true, force: true, maxRetries: 10 })
    })
  }

  async start(): Promise<void> {
    if (this.#running?.exitCode === null && this.#running.signalCode === null) return
    this.#running = spawnServe(this.#binary, this.home, await freePort(), this.output)
    noteFolder({ folder: this.home.root, pid: this.#running.pid })
    try {
      this.url = await listening(this.#running, this.output)
    } catch (cause) {
      await this.end("SIGKILL")
      throw cause
    }
  }

  async end(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    const child = this.#running
    this.#running = undefined
    this.url = ""
    if (child) await endTree(child, signal)
    noteFolder({ folder: this.home.root })
  }

  async unload(project: string): Promise<void> {
    if (this.url !== "") await this.#binary.unload?.(this.url, project)
  }

  async close(): Promise<void> {
    await this.end("SIGTERM")
    rmSync(this.home.root, { recursive: true, force: true, maxRetries: 3 })
    forgetFolder(this.home.root)
    this.#forget()
  }
}

// A group of its own, so that Ctrl-C in the terminal reaches the host through the bed only.
function spawnServe(
  binary: Binary,
  { root, env }: ScratchHome,
  port: number,
  output: string[],
): ChildProcess {
  const args = [...binary.args, "serve", "--port", String(port), "--hostname", "127.0.0.1"]
  const child = spawn(binary.command, args, { cwd: join(root, "home"), env, detached: true, stdio: "pipe" })
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => output.push(text))
  }
  return child
}

/**
 * A port that no host of this run has had. OpenCode takes `--port 0` as 4096 if that is free: a restarted host would come
 * back under the same address, and fetch would use its dead connections.
 */
async function freePort(): Promise<number> {
  const port = randomInt(...PORTS)
  const server = createServer().listen(port, "127.0.0.1")
  try {
    await once(server, "listening")
  } catch {
    return freePort() // Taken.
  }
  server.close()
  await once(server, "close")
  return port
}

async function listening(child: ChildProcess, output: string[]): Promise<string> {
  const from = output.length
  let failure: string | undefined
  child.once("error", (cause) => (failure = `could not be run: ${cause.message}`))
  child.once("exit", (code, signal) => (failure = `ended at once (${signal ?? code})`))
  for (const until = Date.now() + START_TIMEOUT_MS; failure === undefined; await sleep(POLL_MS)) {
    const url = /listening on (http:\S+)\n/.exec(output.slice(from).join(""))?.[1]
    if (url !== undefined) return url
    if (Date.now() > until) failure = "did not start in time"
  }
  throw new Error(`OpenCode ${failure}. It printed:\n${output.slice(from).join("")}`)
}
