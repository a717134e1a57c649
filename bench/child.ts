import { fork, spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { endOnExit } from "./scratch.ts"

/** Plain Node, without the loader this process runs under: it would be measured too. */
const PLAIN = { execArgv: [], env: { ...process.env, NODE_OPTIONS: "" } }

export interface Worker {
  /** Sends one message and waits for the answer. */
  ask: <T>(message: object) => Promise<T>
  stop: () => Promise<void>
}

/** A Node process that answers messages until it is stopped. */
export async function startWorker(script: URL, args: string[]): Promise<Worker> {
  const child = fork(fileURLToPath(script), args, PLAIN)
  const forget = endOnExit(child.pid)
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`${script.pathname.split("/").at(-1)} ended with ${String(code)}`)
  })
  ended.catch(() => {}) // It also ends when it is stopped; only who waits for an answer needs to know.
  const answer = async (): Promise<unknown> => {
    const [message] = await Promise.race([once(child, "message"), ended])
    return message
  }
  await answer()
  return {
    ask: async <T>(message: object) => {
      child.send(message)
      // The workers are ours: the caller knows what each answers.
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
  const forget = endOnExit(child.pid)
  let out = ""
  let errors = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text
  })
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text
  })
  const [code]: (number | null)[] = await once(child, "close")
  forget()
  return { out, errors, code: code ?? null }
}

/** Runs a script that prints one line of JSON. */
export async function runProbe<T>(
  program: string,
  script: URL,
  args: string[],
  programArgs: string[] = [],
): Promise<T> {
  const { out, errors, code } = await runToEnd(program, [...programArgs, fileURLToPath(script), ...args])
  if (code !== 0) throw new Error(`${script.pathname.split("/").at(-1)} ended with ${code}: ${errors}`)
  const found: T = JSON.parse(out)
  return found
}
