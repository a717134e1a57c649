import { spawn } from "node:child_process"
import type { RunningCall } from "../hive/hive.ts"
import { endProcessTree, hasGroups } from "../shared/end-process.ts"

export interface Ran {
  /** The exit code: 124 after a timeout, 130 if the call was aborted. */
  exit: number
  output: string
  timedOut: boolean
}

export interface RunOptions {
  signal?: AbortSignal
  onOutput?: (end: string) => void
  /** True for checks: with bash, a pipe fails if any part of it fails, and background processes are killed. */
  isCheck?: boolean
}

/** Runs a command in a shell until it exits, not waiting for background processes. Keeps both ends of a long output. */
export function runCommand(
  command: string,
  cwd: string,
  timeoutMs: number,
  { signal, onOutput, isCheck = false }: RunOptions = {},
): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = start(command, cwd, isCheck)
    const output = keptEnds((isCheck ? MAX_CHECK_CHARS : MAX_CHARS) / 2)
    let timedOut = false
    // The streams decode separately, as a chunk may end in the middle of a character.
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (piece: string) => {
        output.add(piece)
        onOutput?.(output.end())
      })
    const stop = () => endProcessTree(child.pid, "SIGKILL")
    const timer = setTimeout(() => {
      timedOut = true
      stop()
    }, timeoutMs)
    signal?.addEventListener("abort", stop, { once: true })
    if (signal?.aborted) stop()
    let draining: NodeJS.Timeout | undefined
    const over = () => {
      clearTimeout(timer)
      clearTimeout(draining)
      signal?.removeEventListener("abort", stop)
    }
    child.on("error", (error) => {
      over()
      reject(error)
    })
    child.on("exit", () => {
      if (isCheck) stop()
      // A surviving child process may hold the pipes open.
      draining = setTimeout(() => {
        for (const stream of [child.stdout, child.stderr]) stream.destroy()
      }, DRAIN_MS)
    })
    child.on("close", (code) => {
      over()
      const killed = signal?.aborted ? STOPPED : KILLED
      resolve({ exit: timedOut ? TIMED_OUT : (code ?? killed), output: output.text(), timedOut })
    })
  })
}

function start(command: string, cwd: string, isCheck: boolean) {
  // Starts a process group, so that the command's child processes can be killed with it.
  const options = { cwd, detached: hasGroups(), stdio: PIPES, windowsHide: true }
  if (!isCheck || !hasGroups()) return spawn(command, { ...options, shell: true })
  return spawn("/bin/sh", ["-c", WITH_PIPEFAIL, "sh", command], options)
}

/** Collects a text piece by piece, keeping only its first and last `each` characters and the number of the others. */
function keptEnds(each: number) {
  let [start, end, chars] = ["", "", 0]
  return {
    add(piece: string): void {
      const room = each - start.length
      chars += piece.length
      start += piece.slice(0, room)
      end += piece.slice(room)
      // The text is shortened only now and then, because a program may print one character at a time.
      if (end.length > 4 * each) end = end.slice(-each)
    },
    end: () => (start + end).slice(-MAX_SHOWN_CHARS),
    text(): string {
      const last = end.slice(-each)
      const leftOut = chars - start.length - last.length
      const text = leftOut === 0 ? start + last : `${start}\n… ${leftOut} characters left out …\n${last}`
      // The conversion to bytes repairs a surrogate pair that was cut in half.
      return Buffer.from(text).toString()
    },
  }
}

const PIPES: ["ignore", "pipe", "pipe"] = ["ignore", "pipe", "pipe"]
const WITH_PIPEFAIL =
  'if command -v bash >/dev/null 2>&1; then exec bash -o pipefail -c "$1"; else exec /bin/sh -c "$1"; fi'
const DRAIN_MS = 300
const MAX_CHARS = 30_000
// The output of a check is searched for failures, which may be anywhere in it, so more of it is kept.
const MAX_CHECK_CHARS = 1_000_000
const MAX_SHOWN_CHARS = 2000
const TIMED_OUT = 124
const STOPPED = 130
const KILLED = 137

/** Runs a command for a tool: asks the user's permission rules first, shows its output, and stops it if the call is aborted. */
export async function runPermitted(
  call: RunningCall,
  command: string,
  cwd: string,
  timeoutMs: number,
  { isCheck = false } = {},
): Promise<Ran> {
  await call.mayRun(command, cwd)
  let shownAt = 0
  const onOutput = (output: string) => {
    // The host stores every update, so a program that prints one character at a time must not flood it.
    const now = performance.now()
    if (now - shownAt < SHOW_EVERY_MS) return
    shownAt = now
    call.show({ title: command, output })
  }
  call.show({ title: command, output: "" })
  return runCommand(command, cwd, timeoutMs, { isCheck, signal: call.signal, onOutput })
}

const SHOW_EVERY_MS = 300
