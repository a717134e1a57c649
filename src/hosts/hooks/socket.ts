import { chmodSync, lstatSync, mkdirSync, readFileSync, rmSync } from "node:fs"
import { createConnection, createServer, type Server } from "node:net"
import { userInfo } from "node:os"
import { join } from "node:path"
import type { HookRequest } from "./hook-service.ts"

/**
 * Answers the hooks of an agent's process over a local socket, which only its owner can open. The agent starts this server
 * and its hooks: both find the socket by the agent's process id.
 */
export async function listenForHooks(
  agentPid: number,
  answer: (request: HookRequest) => Promise<string>,
): Promise<{ close(): void }> {
  const path = socketPath(agentPid)
  if (!IS_WINDOWS) {
    mkdirSync(FOLDER, { recursive: true, mode: 0o700 })
    if (!isOurs()) throw new Error(`${FOLDER} is open to other users`)
    // Of an earlier process with this id, or of another server of the same agent: the newest one answers.
    rmSync(path, { force: true })
  }
  const server = createServer((connection) => {
    let asked = ""
    connection.setEncoding("utf8")
    connection.on("error", () => {}) // The client has given up; its agent goes on.
    connection.on("data", async (text: string) => {
      asked += text
      if (!asked.endsWith("\n")) return
      connection.write(HEARD)
      // What is no request gets an empty answer, too: its agent goes on.
      const answered = Promise.resolve(asked).then((text) => answer(JSON.parse(text)))
      connection.end(await answered.catch(() => ""))
    })
  })
  await listening(server, path)
  if (!IS_WINDOWS) chmodSync(path, 0o600)
  server.unref()
  return { close: () => server.close() }
}

/** The answer of the server that the agent has started; undefined if there is none. */
export async function askServer(request: HookRequest, ms: number): Promise<string | undefined> {
  if (!IS_WINDOWS && !isOurs()) return undefined
  for (const pid of ancestors()) {
    const answer = await ask(socketPath(pid), request, ms)
    if (answer !== undefined) return answer
  }
  return undefined
}

function ask(path: string, request: HookRequest, ms: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    let answer = ""
    let isConnected = false
    const connection = createConnection(path, () => {
      isConnected = true
      connection.write(`${JSON.stringify(request)}\n`)
    })
    // A server that hangs: the agent goes on.
    const giveUp = () => {
      connection.destroy()
      done("")
    }
    const late = setTimeout(giveUp, ms)
    const heard = setTimeout(giveUp, HEARD_MS)
    connection.setEncoding("utf8")
    connection.on("data", (text: string) => {
      clearTimeout(heard)
      answer += text
    })
    const done = (found: string | undefined) => {
      clearTimeout(late)
      clearTimeout(heard)
      resolve(found)
    }
    connection.on("end", () => done(answer.slice(HEARD.length)))
    connection.on("error", () => done(isConnected ? "" : undefined))
  })
}

function listening(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(path, resolve)
  })
}

function socketPath(pid: number): string {
  return IS_WINDOWS ? `\\\\.\\pipe\\hivemind-${userInfo().username}-${pid}` : join(FOLDER, `${pid}.sock`)
}

/** Another user could have made the folder, or a link. */
function isOurs(): boolean {
  const folder = lstatSync(FOLDER, { throwIfNoEntry: false })
  return folder?.isDirectory() === true && folder.uid === UID && (folder.mode & 0o077) === 0
}

/** The process that started this one, and those above it: there may be a shell in between. */
function* ancestors(): Generator<number> {
  let pid = process.ppid
  for (let depth = 0; depth < MAX_DEPTH && pid > 1; depth++) {
    yield pid
    try {
      // The name, in parentheses, may hold anything; then come the state and the parent.
      const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
      pid = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1])
    } catch {
      return // Not Linux: only the direct parent is known.
    }
  }
}

const IS_WINDOWS = process.platform === "win32"
const UID = process.getuid?.() ?? 0
// Not the folder for temporary files of the environment: an agent may start its servers and its hooks with different ones.
const FOLDER = `/tmp/hivemind-${UID}`
const MAX_DEPTH = 4
/** The server says it before it looks at the question. */
const HEARD = "\n"
const HEARD_MS = 2000
