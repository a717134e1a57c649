import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import * as z from "zod"
import { ownFolder } from "../shared/own-folder.ts"
import { withTimeout } from "../shared/timeout.ts"
import type { Started } from "./start.ts"

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

/**
 * Runs `hivemind dashboard` as a child, so that the host does not wait for it. The child ends when its input is closed, which
 * happens however this process ends. Undefined where no runtime can start it.
 */
export async function startOwnProcess({
  dir,
  env,
  onError,
  runtimes = knownRuntimes(),
}: OwnProcessInput): Promise<Started | undefined> {
  for (const runtime of runtimes) {
    try {
      return await startWith(runtime, dir, env, onError)
    } catch (error) {
      onError(error)
    }
  }
  return undefined
}

async function startWith(
  { program, env: own }: Runtime,
  dir: string,
  env: OwnProcessInput["env"],
  onError: (error: unknown) => void,
): Promise<Started> {
  const commandLine = join(ownFolder(), "dist", "cli", "main.js")
  const child = spawn(program, [commandLine, "dashboard", "--no-open", "--json", "--dir", dir], {
    cwd: dir,
    env: { ...env, ...own, [BESIDE]: String(process.pid) },
    windowsHide: true,
  })
  const close = async () => {
    child.stdin.destroy()
    child.kill()
  }
  try {
    const printed = await firstLine(child)
    unrefChild(child, onError)
    return { ...started.parse(JSON.parse(printed)), close }
  } catch (error) {
    await close()
    throw error
  }
}

async function firstLine(child: ChildProcessWithoutNullStreams): Promise<string> {
  let out = ""
  let errors = ""
  child.stdin.on("error", () => {}) // The child has ended; "close" reports it below.
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors = `${errors}${text}`.slice(0, MAX_ERRORS)
  })
  const line = new Promise<string>((resolve) => {
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      out += text
      if (out.includes("\n")) resolve(out)
    })
  })
  const ended = once(child, "close").then(() => {
    if (out.includes("\n")) return out
    throw new Error(`${child.spawnfile} ended before it printed an address: ${errors}`)
  })
  const first = await withTimeout(Promise.race([line, ended]), START_MS)
  if (first.timedOut) throw new Error(`${child.spawnfile} printed no address in time: ${errors}`)
  return first.value
}

/** Lets the host's process end while the child runs. */
function unrefChild(child: ChildProcessWithoutNullStreams, onError: (error: unknown) => void): void {
  child.stderr.on("data", (text: string) => onError(new Error(`dashboard: ${text}`)))
  child.on("error", onError)
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

const started = z.object({ url: z.url(), opens: z.url(), isNew: z.boolean() })
const START_MS = 30_000
const MAX_ERRORS = 2000
