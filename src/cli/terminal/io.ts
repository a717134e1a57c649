import { execFileSync } from "node:child_process"
import { homedir } from "node:os"
import { basename } from "node:path"
import { systemCode } from "../../shared/system-error.ts"
import { EXIT } from "./exit-code.ts"

/** Everything of the process that a command may touch; tests pass their own. */
export interface CliIo {
  /** "" if that folder was deleted. */
  cwd: string
  home: string
  env: Record<string, string | undefined>
  stdin: { isTTY?: boolean | undefined }
  stdout: TextStream
  stderr: TextStream
  /** The names of the parent process, its parent, and so on. */
  ancestors: () => string[]
  /** For a command that has to clean up when its output is closed; without it the process ends then. */
  onReaderGone?: (then: () => void) => void
}

export interface TextStream {
  isTTY?: boolean | undefined
  write(text: string): unknown
}

export function processIo(): CliIo {
  let then: (() => void) | undefined
  const onError = (error: Error) => (then === undefined ? exitOnWriteError(error) : then())
  process.stdout.on("error", onError)
  process.stderr.on("error", onError)
  const { env, stdin, stdout, stderr } = process
  const onReaderGone = (given: () => void) => {
    then = given
  }
  const ancestors = ancestorNames
  return { cwd: workingFolder(), home: homedir(), env, stdin, stdout, stderr, ancestors, onReaderGone }
}

function workingFolder(): string {
  try {
    return process.cwd()
  } catch {
    return "" // Deleted while this shell was in it: `projectFolder` reports it, unless `--dir` is given.
  }
}

/** A closed pipe (`hivemind log | head`) is not an error; output that could not be written is. */
function exitOnWriteError(error: Error): never {
  process.exit(systemCode(error) === "EPIPE" ? EXIT.ok : EXIT.notWritable)
}

/** Empty where processes cannot be listed. */
function ancestorNames(): string[] {
  const processes = new Map<number, { parent: number; name: string }>()
  for (const line of listProcesses().split("\n")) {
    const [, pid, parent, name = ""] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? []
    if (pid !== undefined) processes.set(Number(pid), { parent: Number(parent), name: basename(name.trim()) })
  }
  const names: string[] = []
  let at = processes.get(process.ppid)
  while (at !== undefined && names.length < MAX_DEPTH) {
    names.push(at.name)
    at = processes.get(at.parent)
  }
  return names
}

function listProcesses(): string {
  try {
    return execFileSync("ps", ["-A", "-o", "pid=,ppid=,comm="], { encoding: "utf8", timeout: 5000 })
  } catch {
    return "" // No `ps` (Windows, small containers): only the environment shows it then.
  }
}

const MAX_DEPTH = 64
