import { type ChildProcess, spawn } from "node:child_process"
import { GitFailure, gitEnv } from "./run-git.ts"

export interface GitObject {
  id: string
  type: string
  content: Buffer
}

/** Reads objects of a repository through one `git cat-file` process, which answers requests in order. */
export function openObjects(dir: string, env: Record<string, string> = {}) {
  let child: ChildProcess | undefined
  let waiting: { resolve: (found: GitObject | undefined) => void; reject: (error: unknown) => void }[] = []
  let received: Buffer[] = []

  function start(): ChildProcess {
    const started = spawn("git", ["cat-file", "--batch"], {
      cwd: dir,
      env: gitEnv(env),
      stdio: ["pipe", "pipe", "ignore"],
      windowsHide: true,
    })
    started.stdout.on("data", (chunk: Buffer) => {
      received.push(chunk)
      answer()
    })
    started.on("error", fail)
    started.on("close", () => fail(new Error("git cat-file has ended")))
    started.stdin.on("error", () => {}) // The `close` event follows and reports the failure.
    return started
  }

  function fail(error: Error): void {
    child = undefined
    received = []
    for (const { reject } of waiting) reject(new GitFailure(["cat-file"], -1, error.message))
    waiting = []
  }

  function answer(): void {
    while (waiting.length > 0) {
      const bytes = received.length === 1 ? (received[0] ?? EMPTY) : Buffer.concat(received)
      received = [bytes]
      const newline = bytes.indexOf(0x0a)
      if (newline < 0) return
      const [id = "", type = "", size = ""] = bytes.toString("utf8", 0, newline).split(" ")
      const length = /^\d+$/.test(size) ? Number(size) : undefined
      const end = length === undefined ? newline + 1 : newline + 1 + length + 1
      if (bytes.length < end) return
      received = [bytes.subarray(end)]
      const found =
        length === undefined ? undefined : { id, type, content: bytes.subarray(newline + 1, end - 1) }
      waiting.shift()?.resolve(found)
    }
  }

  return {
    read(name: string): Promise<GitObject | undefined> {
      child ??= start()
      const asked = new Promise<GitObject | undefined>((resolve, reject) => waiting.push({ resolve, reject }))
      child.stdin?.write(`${name}\n`)
      return asked
    },
    close: () => void child?.stdin?.end(),
  }
}

const EMPTY = Buffer.alloc(0)
