import { type ChildProcess, spawn } from "node:child_process"
import { rmSync } from "node:fs"
import { releaseOnExit } from "./exit-guard.ts"
import { freePort } from "./free-port.ts"
import { findOpencode } from "./opencode-binary.ts"
import { endTree, killTree } from "./process-tree.ts"
import { makeScratch, REPOSITORY, type Scratch, type ScratchOptions } from "./scratch.ts"

const START_TIMEOUT_MS = 60_000
// What the host itself prints; all else comes from a plugin.
const HOST_LINES = /^(Warning: OPENCODE_SERVER_PASSWORD is not set|(opencode )?server listening on )/

export interface Opencode {
  project: string
  /** Base URL of the server; another one after a restart. */
  url: () => string
  /** All that was printed over every start, the host's own lines left out: a plugin must print nothing. */
  printed: () => string
  /** Stops as a user would, and makes sure. */
  stop: () => Promise<void>
  /** `kill -9`. */
  kill: () => Promise<void>
  /** Starts again on the same folders, after a stop if it still runs. */
  restart: () => Promise<void>
  /** Stops and removes every folder. */
  close: () => Promise<void>
}

/** How a version of OpenCode is started. */
export interface Binary {
  command: string
  args: string[]
}

/** A real `opencode serve` in a scratch project, talking to the model at `modelUrl`. */
export async function startOpencode(modelUrl: string, options: ScratchOptions): Promise<Opencode> {
  return startServer({ command: findOpencode(REPOSITORY), args: [] }, makeScratch(modelUrl, options))
}

export async function startServer(binary: Binary, scratch: Scratch): Promise<Opencode> {
  const output: string[] = []
  let running: ChildProcess | undefined
  let url = ""

  const end = async (signal: "SIGTERM" | "SIGKILL") => {
    const child = running
    running = undefined
    if (child) await endTree(child, signal)
  }
  const start = async () => {
    running = spawnServe(binary, scratch, await freePort(), output)
    url = await listening(running, output)
  }
  const close = async () => {
    await end("SIGTERM")
    rmSync(scratch.root, { recursive: true, force: true, maxRetries: 3 })
    forget()
  }
  const forget = releaseOnExit(() => {
    if (running) killTree(running)
    rmSync(scratch.root, { recursive: true, force: true, maxRetries: 3 })
  })

  try {
    await start()
  } catch (cause) {
    await close()
    throw cause
  }
  return {
    project: scratch.project,
    url: () => url,
    printed: () =>
      output
        .join("")
        .split("\n")
        .filter((line) => line !== "" && !HOST_LINES.test(line))
        .join("\n"),
    stop: () => end("SIGTERM"),
    kill: () => end("SIGKILL"),
    restart: async () => {
      await end("SIGTERM")
      await start()
    },
    close,
  }
}

// A group of its own, so that Ctrl-C in the terminal reaches the host through the bed only.
function spawnServe(
  { command, args: first }: Binary,
  { project, env }: Scratch,
  port: number,
  output: string[],
): ChildProcess {
  const args = [...first, "serve", "--port", String(port), "--hostname", "127.0.0.1"]
  const child = spawn(command, args, { cwd: project, env, detached: true, stdio: "pipe" })
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
