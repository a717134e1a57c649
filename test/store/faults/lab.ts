import { type ChildProcess, spawn } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import type { Acknowledged } from "./ledger.ts"

/** What happens at one of a process's file system calls; see inject.mjs. */
export interface Fault {
  at: number
  do: "kill" | "stop" | "fail" | "late" | "short" | "tear"
  code?: string
  only?: readonly string[]
  under?: string
  stays?: boolean
}

export interface Told {
  name: string
  message: string
  code?: string
  what?: string
  why?: string
  evidence?: string
  stack?: string
}

export type Command = { do: string; dir?: string | undefined } & Record<string, unknown>

export interface Struck {
  value?: unknown
  error?: Told
  calls: string[]
}

export interface StoreProcess {
  pid: number
  /** Rejects with `Refused` if the store refused the command, and with another error if the process is gone. */
  run<T = unknown>(command: Command): Promise<T>
  onAcknowledged: (acknowledged: Acknowledged) => void
  onRefused: (error: Told) => void
  /** Resolves to the name of the call at which the process stops itself. Must be called before that. */
  stopping: () => Promise<string>
  signal(name: "SIGKILL" | "SIGCONT"): void
  ended: Promise<void>
}

export class Refused extends Error {
  readonly told: Told
  constructor(told: Told) {
    super(told.message)
    this.told = told
  }
}

export function openLab() {
  const root = mkdtempSync(join(tmpdir(), "hivemind-faults-"))
  const children = new Set<ChildProcess>()
  let count = 0

  /** `recording`: the file to which the process writes its changes of the file system; see record.mjs. */
  async function start(recording?: string): Promise<StoreProcess> {
    const child = spawn(process.execPath, ["--import", injector, script], {
      stdio: ["pipe", "pipe", "inherit"],
      env: { ...process.env, DISK_RECORD: recording },
    })
    children.add(child)
    const started = follow(child)
    await started.ready
    return started
  }

  return {
    start,
    startTwo: () => Promise.all([start(), start()]),
    startThree: () => Promise.all([start(), start(), start()]),
    folder(from?: string): string {
      const dir = join(root, String(count++))
      if (from === undefined) mkdirSync(dir)
      else cpSync(from, dir, { recursive: true, preserveTimestamps: true })
      return dir
    },
    forget: (dir: string) => rmSync(dir, { recursive: true, force: true }),
    async [Symbol.asyncDispose](): Promise<void> {
      for (const child of children) child.kill("SIGKILL")
      rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
    },
  }
}

export type Lab = ReturnType<typeof openLab>

interface Message {
  ask?: number
  value?: unknown
  error?: Told
  event?: "ready" | "acknowledged" | "refused" | "stopping"
  acknowledged?: Acknowledged
  call?: string
}

function follow(child: ChildProcess): StoreProcess & { ready: Promise<void> } {
  const { stdin, stdout, pid } = child
  if (stdin === null || stdout === null || pid === undefined) throw new Error("no process")
  const waiting = new Map<number, { resolve: (value: never) => void; reject: (error: unknown) => void }>()
  let asked = 0
  let isOver = false
  let isReady: () => void
  let hasStopped: (call: string) => void = () => {}
  stdin.on("error", () => {}) // The process was killed; `ended` reports that.
  const ended = new Promise<void>((resolve) => {
    child.on("close", () => {
      isOver = true
      for (const { reject } of waiting.values()) reject(new Error("the process is gone"))
      waiting.clear()
      isReady()
      resolve()
    })
  })
  const started: StoreProcess & { ready: Promise<void> } = {
    pid,
    ready: new Promise<void>((resolve) => {
      isReady = resolve
    }),
    run<T>(command: Command): Promise<T> {
      const id = asked++
      return new Promise<T>((resolve, reject) => {
        if (isOver) reject(new Error("the process is gone"))
        waiting.set(id, { resolve, reject })
        const patience = command.do === "work" ? WORK_MS : ANSWER_MS
        const hung = new Error(`no answer to ${JSON.stringify(command)} from ${pid}`)
        setTimeout(() => reject(hung), patience).unref()
        stdin.write(`${JSON.stringify({ ask: id, ...command })}\n`)
      })
    },
    onAcknowledged: () => {},
    onRefused: () => {},
    async stopping() {
      const call = await new Promise<string>((resolve) => {
        hasStopped = resolve
      })
      while (stateOf(pid) !== "T") await new Promise((resolve) => setImmediate(resolve))
      return call
    },
    signal: (name) => {
      child.kill(name)
    },
    ended,
  }
  createInterface({ input: stdout }).on("line", (line) => {
    const { ask: id, value, error, event, acknowledged, call } = JSON.parse(line) as Message
    if (event === "ready") isReady()
    if (event === "acknowledged" && acknowledged !== undefined) started.onAcknowledged(acknowledged)
    if (event === "refused" && error !== undefined) started.onRefused(error)
    if (event === "stopping") hasStopped(call ?? "")
    const asker = id === undefined ? undefined : waiting.get(id)
    if (id === undefined || asker === undefined) return
    waiting.delete(id)
    if (error === undefined) asker.resolve(value as never)
    else asker.reject(new Refused(error))
  })
  return started
}

/** Linux's letter for the state of a process: T means stopped. */
function stateOf(pid: number): string {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
  return stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3)
}

const ANSWER_MS = 90_000
const WORK_MS = 3_600_000
const injector = new URL("./inject.mjs", import.meta.url).href
const script = fileURLToPath(new URL("./store-process.mjs", import.meta.url))

export async function inLanes<Lane, Case>(
  lanes: readonly Lane[],
  cases: Iterable<Case>,
  run: (lane: Lane, each: Case) => Promise<void>,
): Promise<void> {
  const waiting = once(cases)
  await Promise.all(
    lanes.map(async (lane) => {
      for (const each of waiting) await run(lane, each)
    }),
  )
}

/** All lanes share this iterator, so each case runs in exactly one lane. */
function* once<Case>(cases: Iterable<Case>): Generator<Case> {
  yield* cases
}

/** Returns the next of an operation's calls to disturb; the first call is 1. */
export type NextCall = (at: number) => number

export const everyCall: NextCall = (at) => at + 1

/** Chooses many calls of a short operation and few more of a long one: with 2, the calls 1, 3, 7, 15, 31 and so on. */
export const fewCalls =
  (factor: number): NextCall =>
  (at) =>
    Math.ceil(at * factor) + 1

/** The calls that change files, by their names in inject.mjs. Before any other call, the files are the same. */
export const CHANGING = [
  "create",
  "write",
  "fsync",
  "fdatasync",
  "link",
  "rename",
  "unlink",
  "mkdir",
  "utimes",
]
export const FILLING = ["create", "write", "fsync", "fdatasync", "link", "mkdir"]
