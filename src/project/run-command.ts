import { spawn } from "node:child_process"

export interface Ran {
  /** 124 where it was ended because it took too long. */
  exit: number
  output: string
  timedOut: boolean
}

/** Runs a command in a shell and waits for it, but no longer than that; keeps the beginning and the end of what it prints. */
export function runCommand(command: string, cwd: string, timeoutMs: number): Promise<Ran> {
  return new Promise((resolve, reject) => {
    // A group of its own, so that what it started ends with it.
    const child = spawn(command, {
      cwd,
      shell: true,
      detached: process.platform !== "win32",
      stdio: ["ignore", "pipe", "pipe"],
    })
    let output = ""
    let timedOut = false
    const take = (chunk: Buffer) => {
      output = bounded(output + chunk.toString("utf8"))
    }
    child.stdout.on("data", take)
    child.stderr.on("data", take)
    const timer = setTimeout(() => {
      timedOut = true
      end(child.pid)
    }, timeoutMs)
    child.on("error", (error) => {
      clearTimeout(timer)
      reject(error)
    })
    child.on("close", (code) => {
      clearTimeout(timer)
      resolve({ exit: timedOut ? TIMED_OUT : (code ?? KILLED), output, timedOut })
    })
  })
}

function end(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(process.platform === "win32" ? pid : -pid, "SIGKILL")
  } catch {
    // It has just ended by itself.
  }
}

function bounded(text: string): string {
  if (text.length <= MAX_CHARS) return text
  const half = MAX_CHARS / 2
  return `${text.slice(0, half)}\n… ${text.length - MAX_CHARS} characters left out …\n${text.slice(-half)}`
}

const MAX_CHARS = 30_000
const TIMED_OUT = 124
const KILLED = 137
