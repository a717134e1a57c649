import { spawn } from "node:child_process"
import type { RunningCall } from "../hive/hive.ts"
import { endProcessTree, hasGroups } from "../shared/end-process.ts"

export interface Ran {
  /** 124 if it was ended by the timeout, 130 if it was stopped. */
  exit: number
  output: string
  timedOut: boolean
}

export interface RunOptions {
  signal?: AbortSignal
  /** Called with the end of the output, whenever there is more. */
  onOutput?: (end: string) => void
  /**
   * Its exit code decides whether it passed: processes that it left running are ended with it, and a pipe fails with any of its
   * commands, where there is a bash.
   */
  isCheck?: boolean
}

/**
 * Runs a command in a shell, with a timeout. It is over when the command itself is: what that left running in the
 * background is not waited for. Keeps the beginning and the end of its output.
 */
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
    // Each stream decodes for itself: a chunk may end in the middle of a character.
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
  // A process group of its own, so that its child processes end with it.
  const options = { cwd, detached: hasGroups(), stdio: PIPES, windowsHide: true }
  if (!isCheck || !hasGroups()) return spawn(command, { ...options, shell: true })
  return spawn("/bin/sh", ["-c", WITH_PIPEFAIL, "sh", command], options)
}

/** Keeps the first and the last `each` characters of a text that comes in pieces, and counts those between them. */
function keptEnds(each: number) {
  let [start, end, chars] = ["", "", 0]
  return {
    add(piece: string): void {
      const room = each - start.length
      chars += piece.length
      start += piece.slice(0, room)
      end += piece.slice(room)
      // Not on every piece: a program may print a character at a time.
      if (end.length > 4 * each) end = end.slice(-each)
    },
    /** The last characters so far. */
    end: () => (start + end).slice(-MAX_SHOWN_CHARS),
    text(): string {
      const last = end.slice(-each)
      const leftOut = chars - start.length - last.length
      const text = leftOut === 0 ? start + last : `${start}\n… ${leftOut} characters left out …\n${last}`
      // A cut may divide a character of two units.
      return Buffer.from(text).toString()
    },
  }
}

const PIPES: ["ignore", "pipe", "pipe"] = ["ignore", "pipe", "pipe"]
const WITH_PIPEFAIL =
  'if command -v bash >/dev/null 2>&1; then exec bash -o pipefail -c "$1"; else exec /bin/sh -c "$1"; fi'
const DRAIN_MS = 300
const MAX_CHARS = 30_000
// Read for failure lines, which may stand anywhere, and not shown as a whole.
const MAX_CHECK_CHARS = 1_000_000
// Output shown while it runs.
const MAX_SHOWN_CHARS = 2000
const TIMED_OUT = 124
const STOPPED = 130
const KILLED = 137

/**
 * Runs a command for a call of ours: every command that a tool starts goes through here. The user's permission rules
 * are asked first, the user sees its output come, and it ends with the turn.
 */
export async function runPermitted(
  call: RunningCall,
  command: string,
  cwd: string,
  timeoutMs: number,
  options: Pick<RunOptions, "isCheck"> = {},
): Promise<Ran> {
  await call.mayRun(command, cwd)
  let shownAt = 0
  const onOutput = (output: string) => {
    // Each is stored by the host: a program that prints a character at a time must not flood it.
    const now = performance.now()
    if (now - shownAt < SHOW_EVERY_MS) return
    shownAt = now
    call.show({ title: command, output })
  }
  call.show({ title: command, output: "" })
  return runCommand(command, cwd, timeoutMs, { ...options, signal: call.signal, onOutput })
}

const SHOW_EVERY_MS = 300
