import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { createConnection, createServer, type Server } from "node:net"
import { tmpdir, userInfo } from "node:os"
import { join } from "node:path"
import type { HookRequest } from "./hook-service.ts"

/** Listens on a socket that only this user can open. Hook processes find it by the agent's process id. */
export async function listenForHooks(
  agentPid: number,
  answer: (request: HookRequest) => Promise<string>,
): Promise<{ isCalled(): void; close(): void }> {
  const { socket, pid, hangs } = filesOf(agentPid)
  if (!IS_WINDOWS) {
    if (!makeFolder())
      throw new Error(`other users can write to ${FOLDER}: remove it, so that hooks can reach the server`)
    // The socket may belong to an earlier process, or to another server of the same agent: the newest server answers.
    rmSync(socket, { force: true })
  }
  rmSync(hangs, { force: true })
  const server = createServer((connection) => {
    let asked = ""
    connection.setEncoding("utf8")
    connection.on("error", () => {}) // The hook process has ended; its agent goes on without an answer.
    connection.on("data", async (text: string) => {
      asked += text
      if (!asked.endsWith("\n")) return
      // An invalid request gets an empty answer too, so the agent goes on.
      const answered = Promise.resolve(asked).then((text) => answer(JSON.parse(text)))
      connection.end(await answered.catch(() => ""))
    })
    connection.write(HELLO)
  })
  await listening(server, socket)
  if (!IS_WINDOWS) chmodSync(socket, 0o600)
  server.unref()
  let isFirst = true
  // Another server of the same agent, e.g. for a subagent, writes and deletes the same `pid` file.
  return {
    /** The agent sends its hooks to this server as tool calls. Its stand-in hooks see that by the `pid` file. */
    isCalled() {
      try {
        if (isFirst || !existsSync(pid)) writeFileSync(pid, String(process.pid))
        isFirst = false
      } catch {
        // The stand-in hooks then ask the socket, and get an empty answer.
      }
    },
    close() {
      server.close()
      if (existsSync(pid) && readFileSync(pid, "utf8") === String(process.pid)) rmSync(pid, { force: true })
    },
  }
}

/** Undefined if no server answers. A server that hangs is not asked again for a minute. */
export async function askServer(request: HookRequest, ms: number): Promise<string | undefined> {
  if (!IS_WINDOWS && !isOurs()) return undefined
  for (const agentPid of ancestors()) {
    const { socket, hangs } = filesOf(agentPid)
    const hung = statSync(hangs, { throwIfNoEntry: false })?.mtimeMs ?? 0
    if (Date.now() - hung < HANGS_MS) return undefined
    const answer = await ask(socket, request, ms)
    if (answer === "hangs") return void writeFileSync(hangs, "")
    if (answer === undefined) continue
    if (hung > 0) rmSync(hangs, { force: true })
    return answer.said
  }
  return undefined
}

/** Sends the request after the server's greeting. A server that hangs gets no request, so it cannot answer one later as well. */
function ask(
  path: string,
  request: HookRequest,
  ms: number,
): Promise<{ said: string } | "hangs" | undefined> {
  return new Promise((resolve) => {
    let said = ""
    let late = setTimeout(() => done("hangs"), 2000)
    const connection = createConnection(path)
    const done = (found: { said: string } | "hangs" | undefined) => {
      clearTimeout(late)
      connection.destroy()
      resolve(found)
    }
    connection.setEncoding("utf8")
    connection.on("data", (text: string) => {
      if (said === "") {
        clearTimeout(late)
        late = setTimeout(() => done({ said: "" }), ms)
        connection.write(`${JSON.stringify(request)}\n`)
      }
      said += text
    })
    const over = () => done(said === "" ? undefined : { said: said.slice(HELLO.length) })
    connection.on("end", over).on("error", over)
  })
}

function listening(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(path, resolve)
  })
}

function filesOf(agentPid: number) {
  const base = join(IS_WINDOWS ? tmpdir() : FOLDER, `${IS_WINDOWS ? "hivemind-" : ""}${agentPid}`)
  const pipe = `\\\\.\\pipe\\hivemind-${userInfo().username}-${agentPid}`
  // `pid` and `hangs` are read by the stand-in hooks in `plugin-folders.ts`.
  return { socket: IS_WINDOWS ? pipe : `${base}.sock`, pid: `${base}.pid`, hangs: `${base}.hangs` }
}

/** False if the id has been claimed before, also by another process. True if that cannot be found out. */
export function claim(id: string): boolean {
  try {
    if (IS_WINDOWS || !makeFolder()) return true
    removeOldClaims()
  } catch {
    return true // Without the folder, an event may be answered twice, which is better than not at all.
  }
  try {
    writeFileSync(join(FOLDER, `${encodeURIComponent(id)}${CLAIM}`), "", { flag: "wx" })
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "EEXIST"
  }
}

function removeOldClaims(): void {
  for (const name of readdirSync(FOLDER)) {
    const path = join(FOLDER, name)
    const made = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
    if (name.endsWith(CLAIM) && Date.now() - made > CLAIM_MS) rmSync(path, { force: true })
  }
}

function makeFolder(): boolean {
  mkdirSync(FOLDER, { recursive: true, mode: 0o700 })
  return isOurs()
}

/** Guards against a folder or link that another user created. */
function isOurs(): boolean {
  const folder = lstatSync(FOLDER, { throwIfNoEntry: false })
  return folder?.isDirectory() === true && folder.uid === UID && (folder.mode & 0o077) === 0
}

function* ancestors(): Generator<number> {
  let pid = process.ppid
  for (let depth = 0; depth < MAX_DEPTH && pid > 1; depth++) {
    yield pid
    try {
      // The process name in parentheses may hold any character; after it come the state and the parent's id.
      const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
      pid = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1])
    } catch {
      return // Not Linux: only the direct parent is known.
    }
  }
}

const IS_WINDOWS = process.platform === "win32"
const UID = process.getuid?.() ?? 0
// Not os.tmpdir(): an agent may start its servers and its hooks with different values of TMPDIR.
const FOLDER = `/tmp/hivemind-${UID}`
const MAX_DEPTH = 4
const CLAIM = ".claim"
/** Long enough: the two hooks of one event start at the same time. */
const CLAIM_MS = 600_000
const HELLO = "\n"
const HANGS_MS = 60_000
