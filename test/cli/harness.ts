import { spawn } from "node:child_process"
import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterEach, beforeEach } from "vitest"
import { runCli } from "../../src/cli/run.ts"

export interface Sandbox {
  root: string
  home: string
  project: string
}

export interface CliRun {
  code: number | null
  stdout: string
  stderr: string
}

/** A project folder and a home of its own, so that no test sees the config of its user. */
export async function makeSandbox(): Promise<Sandbox> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "hive-cli-")))
  const sandbox = { root, home: join(root, "home"), project: join(root, "project") }
  await mkdir(sandbox.home)
  await mkdir(sandbox.project)
  return sandbox
}

/** A new sandbox for each test of a file. */
export function useSandbox(): Sandbox {
  const box: Sandbox = { root: "", home: "", project: "" }
  beforeEach(async () => {
    Object.assign(box, await makeSandbox())
  })
  afterEach(() => dropSandbox(box))
  return box
}

export async function dropSandbox(sandbox: Sandbox): Promise<void> {
  await rm(sandbox.root, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
}

/** The command line in this process, without a person at the keyboard. */
export async function cli(
  sandbox: Sandbox,
  args: string[],
  cwd = sandbox.project,
  env: Record<string, string> = {},
  { isTTY = false, ancestors = [] }: { isTTY?: boolean; ancestors?: string[] } = {},
): Promise<CliRun> {
  let stdout = ""
  let stderr = ""
  const code = await runCli(args, {
    cwd,
    home: sandbox.home,
    env,
    stdin: { isTTY },
    ancestors: () => ancestors,
    stdout: { write: (text) => (stdout += text) },
    stderr: { write: (text) => (stderr += text) },
  })
  return { code, stdout, stderr }
}

/** The real program as a process of its own. */
export function cliProcess(
  sandbox: Sandbox,
  args: string[],
  env: Record<string, string> = {},
): Promise<CliRun> {
  const child = spawn(process.execPath, ["--import", TSX, MAIN, ...args], {
    cwd: sandbox.project,
    env: { PATH: process.env["PATH"], HOME: sandbox.home, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  })
  let stdout = ""
  let stderr = ""
  child.stdout.on("data", (chunk) => (stdout += chunk))
  child.stderr.on("data", (chunk) => (stderr += chunk))
  return new Promise((resolve, reject) => {
    child.on("error", reject)
    child.on("close", (code) => resolve({ code, stdout, stderr }))
  })
}

export const MAIN = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url))
export const TSX = createRequire(import.meta.url).resolve("tsx")
