import { type ChildProcess, spawn } from "node:child_process"
import { rmSync } from "node:fs"
import { basename, join } from "node:path"
import { forgetFolder, noteFolder } from "./end-hosts.ts"
import { releaseOnExit } from "./exit-guard.ts"
import { freePort } from "./free-port.ts"
import { findOpencode } from "./opencode-binary.ts"
import { endTree, killTree } from "./process-tree.ts"
import { makeHome, makeProject, REPOSITORY, type ScratchHome, type ScratchOptions } from "./scratch.ts"

const START_TIMEOUT_MS = 60_000
// What the host itself prints; all else comes from a plugin.
const HOST_LINES = /^(Warning: OPENCODE_SERVER_PASSWORD is not set|(opencode )?server listening on )/

/** A project that a real host serves. */
export interface Opencode {
  project: string
  /** Base URL of the server; another one after a restart. */
  url: () => string
  /** Everything printed since the project was opened, without the host's own lines: a plugin must print nothing. */
  printed: () => string
  /** Stops as a user would, and makes sure. */
  stop: () => Promise<void>
  /** `kill -9`. */
  kill: () => Promise<void>
  /** Starts again on the same folders, after a stop if it still runs. */
  restart: () => Promise<void>
  /** Unloads the project from a shared host; ends a host of its own and removes its folders. */
  close: () => Promise<void>
}

/** How a version of OpenCode is started. */
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

/** Starting a host takes seconds, so a test worker keeps one per binary and opens its beds in it one after the other. */
const sharedHosts = new Map<string, HostProcess>()
let projects = 0

/** Serves a new project: in the worker's shared host, or in one of its own where that is asked for or the shared one is in use. */
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
    printed: () =>
      host.output
        .slice(printedFrom)
        .join("")
        .split("\n")
        .filter((line) => line !== "" && !HOST_LINES.test(line))
        .join("\n"),
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

  /** Does nothing where it runs already. */
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
  { command, args: first }: Binary,
  { root, env }: ScratchHome,
  port: number,
  output: string[],
): ChildProcess {
  const args = [...first, "serve", "--port", String(port), "--hostname", "127.0.0.1"]
  const child = spawn(command, args, { cwd: join(root, "home"), env, detached: true, stdio: "pipe" })
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => output.push(text))
  }
  return child
}

async function listening(child: ChildProcess, output: string[]): Promise<string> {
  const from = output.length
  const printed = () => output.slice(from).join("")
  return new Promise<string>((resolve, reject) => {
    const settle = (finish: () => void) => {
      clearTimeout(timer)
      child.stdout?.off("data", look)
      finish()
    }
    const look = () => {
      const url = /listening on (http:\S+)\n/.exec(printed())?.[1]
      if (url) settle(() => resolve(url))
    }
    const giveUp = (reason: string) =>
      settle(() => reject(new Error(`OpenCode ${reason}. It printed:\n${printed()}`)))
    const timer = setTimeout(() => giveUp("did not start in time"), START_TIMEOUT_MS)
    child.stdout?.on("data", look)
    child.once("error", (cause) => giveUp(`could not be run: ${cause.message}`))
    child.once("exit", (code, signal) => giveUp(`ended at once (${signal ?? code})`))
  })
}
