import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { join } from "node:path"
import { createInterface } from "node:readline"
import * as z from "zod"
import { ownFolder } from "../shared/own-folder.ts"
import { withTimeout } from "../shared/timeout.ts"
import type { Invitations } from "./serve.ts"

/** A program that can run our command line, and the environment it needs for that. */
export interface Runtime {
  program: string
  env: Record<string, string>
}

interface OwnProcessInput {
  dir: string
  env: Record<string, string | undefined>
  onError: (error: unknown) => void
  runtimes?: readonly Runtime[]
}

/** A dashboard in a process of its own. */
export interface OwnProcess {
  /** New addresses of the page; undefined if the process has ended. */
  invite: () => Promise<Invitations | undefined>
  close: () => void
}

/**
 * Runs `hivemind dashboard` as a child, so that the host does not wait for it. The child ends when its input is closed, which
 * happens however this process ends. Undefined if no runtime can start it.
 */
export async function startOwnProcess({
  dir,
  env,
  onError,
  runtimes = knownRuntimes(),
}: OwnProcessInput): Promise<{ first: Invitations; running: OwnProcess } | undefined> {
  for (const runtime of runtimes) {
    const running = startWith(runtime, dir, env, onError)
    const first = await running.invite()
    if (first !== undefined) return { first, running }
    running.close()
  }
  return undefined
}

/** The child prints addresses as a line of JSON: once at its start, then for every line that it reads. */
function startWith(
  { program, env: own }: Runtime,
  dir: string,
  env: OwnProcessInput["env"],
  onError: (error: unknown) => void,
): OwnProcess {
  const commandLine = join(ownFolder(), "dist", "cli", "main.js")
  const child = spawn(program, [commandLine, "dashboard", "--no-open", "--json", "--dir", dir], {
    cwd: dir,
    env: { ...env, ...own, [BESIDE]: String(process.pid) },
    windowsHide: true,
  })
  child.on("error", onError)
  child.stdin.on("error", () => {}) // The child has ended; the end of its output says so.
  child.stderr
    .setEncoding("utf8")
    .on("data", (text: string) => onError(new Error(`dashboard: ${text.slice(0, MAX_ERROR)}`)))
  unrefChild(child)
  let isStarting = true
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    async invite() {
      if (!isStarting) child.stdin.write("\n")
      isStarting = false
      const next = await withTimeout(lines.next(), ANSWER_MS)
      if (!next.timedOut && next.value.done !== true) return invitations.parse(JSON.parse(next.value.value))
      if (next.timedOut) onError(new Error(`${program} printed no address in time`))
      return undefined
    },
    close() {
      child.stdin.destroy()
      child.kill()
    },
  }
}

/** Lets the host's process end while the child runs. */
function unrefChild(child: ChildProcessWithoutNullStreams): void {
  child.unref()
  for (const stream of [child.stdin, child.stdout, child.stderr])
    if ("unref" in stream && typeof stream.unref === "function") stream.unref()
}

/** OpenCode's binary contains Bun and runs as plain Bun with BUN_BE_BUN. An Electron application is not started again. */
function knownRuntimes(): Runtime[] {
  const own = { program: process.execPath, env: { BUN_BE_BUN: "1" } }
  const onPath = ["node", "bun"].map((program) => ({ program, env: {} }))
  return process.versions["electron"] === undefined ? [own, ...onPath] : onPath
}

/** The process that started a dashboard for its user. */
export const BESIDE = "HIVEMIND_BESIDE"

const invitations = z.object({ url: z.url(), opens: z.url() })
const ANSWER_MS = 30_000
const MAX_ERROR = 2000
