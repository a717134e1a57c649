import { chmodSync, lstatSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { createConnection, createServer, type Server } from "node:net"
import { tmpdir, userInfo } from "node:os"
import { join } from "node:path"
import type { HookRequest } from "./hook-service.ts"

/** Listens on a socket that only this user can open. Hook processes find it by the agent's process id. */
export async function listenForHooks(
  agentPid: number,
  answer: (request: HookRequest) => Promise<string>,
): Promise<{ close(): void }> {
  const { socket, pid, hangs } = filesOf(agentPid)
  if (!IS_WINDOWS) {
    mkdirSync(FOLDER, { recursive: true, mode: 0o700 })
    if (!isOurs()) throw new Error(`${FOLDER} is open to other users`)
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
  writeFileSync(pid, String(process.pid))
  server.unref()
  const close = () => {
    server.close()
    rmSync(pid, { force: true })
  }
  return { close }
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
  // `pid` is read by the stand-in hook in `bundles.ts`.
  return { socket: IS_WINDOWS ? pipe : `${base}.sock`, pid: `${base}.pid`, hangs: `${base}.hangs` }
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
const HELLO = "\n"
const HANGS_MS = 60_000
