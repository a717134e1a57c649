import { fork, spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { endWithUs } from "./running.ts"

/** Plain Node, without the loader this process runs under: it would be measured too. */
const PLAIN = { execArgv: [], env: { ...process.env, NODE_OPTIONS: "" } }

export interface Worker {
  /** Sends one message and waits for the answer. */
  ask: <T>(message: unknown) => Promise<T>
  stop: () => Promise<void>
}

/** A Node process that answers messages until it is stopped. */
export async function startWorker(script: URL, args: string[]): Promise<Worker> {
  const child = fork(fileURLToPath(script), args, PLAIN)
  const forget = endWithUs(child.pid)
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`${script.pathname.split("/").at(-1)} ended with ${String(code)}`)
  })
  ended.catch(() => {}) // It also ends when it is stopped; only who waits for an answer needs to know.
  const answer = async () => {
    const [message] = await Promise.race([once(child, "message"), ended])
    return message as unknown
  }
  await answer()
  return {
    ask: async <T>(message: unknown) => {
      child.send(message as object)
      return (await answer()) as T
    },
    stop: async () => {
      const gone = once(child, "exit")
      child.disconnect()
      await gone
      forget()
    },
  }
}

export interface Ended {
  out: string
  errors: string
  code: number | null
}

/** Runs a program to its end. */
export async function runToEnd(program: string, args: string[]): Promise<Ended> {
  const child = spawn(program, args, { env: PLAIN.env, stdio: ["ignore", "pipe", "pipe"] })
  const forget = endWithUs(child.pid)
  let out = ""
  let errors = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text
  })
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text
  })
  const [code] = (await once(child, "close")) as [number | null]
  forget()
  return { out, errors, code }
}

/** Runs a script that prints one line of JSON. */
export async function runProbe<T>(program: string, script: URL, args: string[]): Promise<T> {
  const { out, errors, code } = await runToEnd(program, [fileURLToPath(script), ...args])
  if (code !== 0) throw new Error(`${script.pathname.split("/").at(-1)} ended with ${code}: ${errors}`)
  return JSON.parse(out) as T
}
