import { execFileSync } from "node:child_process"
import { homedir } from "node:os"
import { basename } from "node:path"
import { systemCode } from "../../shared/system-error.ts"
import { EXIT } from "./report.ts"

export interface CliIo {
  /** The working folder; "" if it was deleted. */
  cwd: string
  home: string
  env: Record<string, string | undefined>
  stdin: { isTTY?: boolean | undefined }
  stdout: TextStream
  stderr: TextStream
  ancestors: () => string[]
  /** Registers a function to call when the output is closed. Without one, the process exits then. */
  onReaderGone?: (then: () => void) => void
}

export interface TextStream {
  isTTY?: boolean | undefined
  write(text: string): unknown
}

export function processIo(): CliIo {
  let then: (() => void) | undefined
  // A closed pipe (`hivemind log | head`) is not an error, but a failed write is.
  const onError = (error: Error) =>
    then === undefined ? process.exit(systemCode(error) === "EPIPE" ? EXIT.ok : EXIT.notWritable) : then()
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
    return "" // The folder was deleted: `projectFolder` reports that, unless `--dir` is given.
  }
}

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
    return "" // Without `ps` (Windows, small containers), only the environment shows an agent.
  }
}

const MAX_DEPTH = 64
