import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { join } from "node:path"
import { createInterface } from "node:readline"
import * as z from "zod"
import { ownFolder } from "../shared/own-folder.ts"
import { withTimeout } from "../shared/timeout.ts"
import type { Invitations } from "./serve.ts"

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

export type OwnProcess = ReturnType<typeof startWith>

/** Runs `hivemind dashboard` as a child process, which ends when its stdin closes. Undefined if no runtime can start it. */
export async function startOwnProcess({ dir, env, onError, runtimes = knownRuntimes() }: OwnProcessInput) {
  for (const runtime of runtimes) {
    const running = startWith(runtime, dir, env, onError)
    const first = await running.invite()
    if (first !== undefined) return { first, running }
    running.close()
  }
  return undefined
}

/** The child prints a line of JSON with new addresses when it starts, and again for every line on its stdin. */
function startWith(
  { program, env: own }: Runtime,
  dir: string,
  env: OwnProcessInput["env"],
  onError: (error: unknown) => void,
) {
  const commandLine = join(ownFolder(), "dist", "cli", "main.js")
  const child = spawn(program, [commandLine, "dashboard", "--no-open", "--json", "--dir", dir], {
    cwd: dir,
    env: { ...env, ...own, [PARENT_PID_VARIABLE]: String(process.pid) },
    windowsHide: true,
  })
  child.on("error", onError)
  child.stdin.on("error", () => {}) // The child has ended: `invite` notices that by the end of stdout.
  child.stderr
    .setEncoding("utf8")
    .on("data", (text: string) => onError(new Error(`dashboard: ${text.slice(0, MAX_ERROR)}`)))
  unrefChild(child)
  let isStarting = true
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    /** New addresses of the page; undefined if the process has ended or does not answer in time. */
    async invite(): Promise<Invitations | undefined> {
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

/** OpenCode's binary runs as plain Bun if BUN_BE_BUN is set. An Electron app cannot be used that way. */
function knownRuntimes(): Runtime[] {
  const own = { program: process.execPath, env: { BUN_BE_BUN: "1" } }
  const onPath = ["node", "bun"].map((program) => ({ program, env: {} }))
  return process.versions["electron"] === undefined ? [own, ...onPath] : onPath
}

/** The environment variable with the id of the process that started the dashboard. */
export const PARENT_PID_VARIABLE = "HIVEMIND_BESIDE"

const invitations = z.object({ url: z.url(), opens: z.url() })
const ANSWER_MS = 30_000
const MAX_ERROR = 2000
