import { spawn, spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterEach, beforeEach, expect, onTestFinished, vi } from "vitest"
import { runCli } from "../../src/cli/run.ts"
import { GIT_ENV } from "../support/git-repo.ts"

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

/** The words of a command; in one string if none of them has a blank. */
type Args = string | readonly string[]
type Env = Record<string, string>

export async function makeSandbox(): Promise<Sandbox> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "hive-cli-")))
  const sandbox = { root, home: join(root, "home"), project: join(root, "project") }
  await mkdir(sandbox.home)
  await mkdir(sandbox.project)
  return sandbox
}

export function useSandbox<More extends object>(
  prepare: (box: Sandbox) => More | Promise<More> = () => ({}) as More,
): Sandbox & More {
  const box = { root: "", home: "", project: "" } as Sandbox & More
  beforeEach(async () => {
    for (const [name, value] of Object.entries(GIT_ENV)) vi.stubEnv(name, value)
    Object.assign(box, await makeSandbox())
    Object.assign(box, await prepare(box))
  })
  afterEach(() => dropSandbox(box))
  return box
}

export async function dropSandbox(sandbox: Sandbox): Promise<void> {
  await rm(sandbox.root, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
}

export function projectFiles(box: Sandbox) {
  const at = (path: string) => join(box.project, path)
  return {
    at,
    has: (path: string) => existsSync(at(path)),
    read: (path: string) => readFileSync(at(path), "utf8"),
    put: (path: string, text: string | Uint8Array) => {
      mkdirSync(dirname(at(path)), { recursive: true })
      writeFileSync(at(path), text)
    },
  }
}

const wordsOf = (args: Args) => (typeof args === "string" ? args.split(" ") : [...args])

export async function cli(
  sandbox: Sandbox,
  args: Args,
  cwd = sandbox.project,
  env: Env = {},
  { isTTY = false, ancestors = [] }: { isTTY?: boolean; ancestors?: string[] } = {},
): Promise<CliRun> {
  let stdout = ""
  let stderr = ""
  const code = await runCli(wordsOf(args), {
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

export async function cliJson(sandbox: Sandbox, args: Args, cwd?: string, env?: Env) {
  return JSON.parse((await cli(sandbox, [...wordsOf(args), "--json"], cwd, env)).stdout)
}

export async function shown(sandbox: Sandbox, args: Args, cwd?: string): Promise<string> {
  const { code, stdout, stderr } = await cli(sandbox, args, cwd)
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
  return stdout
}

export function cliProcess(sandbox: Sandbox, args: Args, env: Env = {}): Promise<CliRun> {
  const child = spawn(process.execPath, ["--import", TSX, MAIN, ...wordsOf(args)], {
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

/** util-linux's `script` runs a command in a terminal of its own. */
export const hasTerminal = process.platform === "linux" && spawnSync("script", ["--version"]).status === 0

/** The real program in a terminal, with a person who presses a key when a text is shown; each answer once, in order. */
export function cliInTerminal(
  { home, project }: Pick<Sandbox, "home" | "project">,
  args: string[],
  answers: readonly [shown: string, key: string][],
  env: Env = {},
): Promise<{ code: number | null; screen: string }> {
  const command = [process.execPath, "--import", TSX, MAIN, ...args].map((part) => `'${part}'`).join(" ")
  const child = spawn("script", ["-qec", `stty cols 200; ${command}`, "/dev/null"], {
    cwd: project,
    env: { PATH: process.env["PATH"], HOME: home, TERM: "xterm", ...env },
  })
  onTestFinished(() => void child.kill())
  const left = [...answers]
  let shown = ""
  child.stdout.on("data", (chunk) => {
    shown += chunk
    const [next] = left
    if (next === undefined || !textOf(shown).includes(next[0])) return
    left.shift()
    child.stdin.write(next[1])
  })
  return new Promise((resolve, reject) => {
    child.on("error", reject)
    child.on("close", (code) => resolve({ code, screen: textOf(shown) }))
  })
}

/** Without colours and frames, as if the screen had one endless line. */
function textOf(shown: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what a terminal gets.
  return shown.replace(/\u001b\[[\d;?]*[A-Za-z]|[^\x20-\x7e]/g, " ").replace(/ +/g, " ")
}

export const MAIN = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url))
export const TSX = createRequire(import.meta.url).resolve("tsx")
