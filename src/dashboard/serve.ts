import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import type { Hive } from "../hive/hive.ts"
import { HiveError, toRefusal } from "../shared/error.ts"
import { systemCode } from "../shared/system-error.ts"
import { COOKIE, createAccess } from "./access.ts"
import { takeCommand } from "./commands.ts"
import { sendEvents } from "./events.ts"
import { newsOf } from "./news.ts"
import { readPageFiles } from "./page-files.ts"
import { type Project, projectOf } from "./project.ts"
import { routes } from "./routes.ts"

export interface DashboardOptions {
  /** 0 or left out: any that is free. */
  port?: number
  now: () => number
  /** What another command line of the same user shows that it is one. */
  token: string
  /** Opens the hive of another project. */
  open: (dir: string) => Promise<Hive>
  onError: (error: unknown) => void
}

export interface Dashboard {
  port: number
  /** An address that opens the page once, at a project. */
  invite: (project: Project) => string
  add: (hive: Hive) => Project
  close: () => Promise<void>
}

/** The dashboard's server, on this machine only. */
export async function serveDashboard({
  port = 0,
  now,
  token,
  open,
  onError,
}: DashboardOptions): Promise<Dashboard> {
  const files = readPageFiles()
  const projects = new Map<string, Project>()
  const opened: Hive[] = []
  const access = createAccess(() => bound, now)
  const server = createServer(
    { maxHeaderSize: MAX_HEADER_BYTES, requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS },
    (request, response) => {
      answer(request, response).catch((error: unknown) => fail(response, error))
    },
  )
  server.maxConnections = MAX_CONNECTIONS
  const bound = await listen(server, port)

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value)
    const [asked, base] = [request.url ?? "/", `http://127.0.0.1:${bound}`]
    // A program may send anything; a browser sends addresses.
    if (!asked.startsWith("/") || !URL.canParse(asked, base))
      return send(response, 400, errorOf("invalid_argument", "This is no address of a page."))
    const url = new URL(asked, base)
    const secret = url.pathname === "/enter" ? url.searchParams.get("secret") : null
    if (secret !== null && request.method === "GET") return enter(request, response, secret, url)
    if (url.pathname === "/control" && request.method === "POST") return control(request, response, url)
    const refusal = access.refusal(request)
    if (refusal !== undefined) return refuse(request, response, refusal)
    const isChange = request.method === "POST" && url.pathname === "/api/commands"
    if (request.method !== "GET" && !isChange)
      return send(response, 405, errorOf("invalid_argument", "This can only be read."))
    const file = files.get(url.pathname)
    if (file !== undefined) {
      response.writeHead(200, { "content-type": file.type, "cache-control": "no-cache" })
      response.end(file.body)
      return
    }
    if (url.pathname === "/api/projects")
      return send(response, 200, { projects: [...projects.values()].map(shown) })
    const wanted = url.searchParams.get("project")
    // One that is not here is not another one: a change would go to the wrong project.
    const project = wanted ? projects.get(wanted) : [...projects.values()][0]
    if (project === undefined)
      return send(response, 404, errorOf("not_found", "This project is not open here."))
    if (isChange) return send(response, 200, await takeCommand(project.hive, request))
    if (url.pathname === "/api/events") return sendEvents(project.news, response)
    const route = routes[url.pathname]
    if (route === undefined) return send(response, 404, errorOf("not_found", "There is no such page."))
    send(response, 200, await route(project.hive, url.searchParams))
  }

  function enter(request: IncomingMessage, response: ServerResponse, secret: string, url: URL): void {
    // The host is checked as for all else; there is no cookie yet.
    const isElsewhere =
      request.headers.host !== `127.0.0.1:${bound}` && request.headers.host !== `localhost:${bound}`
    const visit = isElsewhere ? undefined : access.enter(secret)
    if (visit === undefined) {
      refuse(
        request,
        response,
        "This address was used already, or is too old: `hivemind dashboard` prints a new one.",
      )
      return
    }
    response.writeHead(303, {
      location: `/?project=${encodeURIComponent(url.searchParams.get("project") ?? "")}`,
      "set-cookie": `${COOKIE}=${visit}; HttpOnly; SameSite=Strict; Path=/`,
    })
    response.end()
  }

  /** Another `hivemind dashboard` of the same user, who can read the token: its project is shown here too. */
  async function control(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    if (request.headers.authorization !== `Bearer ${token}`)
      return send(response, 403, errorOf("not_allowed", "Only a command line of the same user may."))
    const hive = await open(url.searchParams.get("dir") ?? "")
    const project = add(hive)
    if (project.hive === hive) opened.push(hive)
    else await hive.store.close()
    send(response, 200, { url: invite(project) })
  }

  function fail(response: ServerResponse, error: unknown): void {
    if (!(error instanceof HiveError)) onError(error)
    if (response.headersSent) return void response.end()
    const { code, what, why, use_instead } = toRefusal(error)
    send(response, code === "not_found" ? 404 : error instanceof HiveError ? 400 : 500, {
      code,
      what,
      why,
      use_instead,
    })
  }

  function add(hive: Hive): Project {
    const named = projectOf(hive)
    const project = projects.get(named.id) ?? { ...named, hive, news: newsOf(hive, onError) }
    projects.set(project.id, project)
    return project
  }

  function invite({ id }: Project): string {
    return `http://127.0.0.1:${bound}/enter?project=${id}&secret=${access.invite()}`
  }

  return {
    port: bound,
    invite,
    add,
    async close() {
      for (const { news } of projects.values()) news.close()
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
      for (const hive of opened) await hive.store.close()
    },
  }
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => reject(explained(error, port)))
    // Of a server that listens on a port the address is no text.
    server.listen(port, "127.0.0.1", () => resolve((server.address() as AddressInfo).port))
  })
}

function explained(error: Error, port: number): Error {
  const code = systemCode(error)
  if (code !== "EADDRINUSE" && code !== "EACCES") return error
  const isTaken = code === "EADDRINUSE"
  const refusal = {
    code: "conflict",
    what: isTaken ? `Port ${port} is taken.` : `Port ${port} may not be used.`,
    why: isTaken ? "Another program listens there." : "The system keeps it for others.",
    use_instead: "Give another one, or leave --port out: then any that is free is taken.",
    evidence: error.message,
  } as const
  return new HiveError(refusal, { cause: error })
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "cache-control": "no-store",
  })
  response.end(JSON.stringify(body))
}

/** A person in front of a browser gets a sentence, a program its form. */
function refuse({ headers, url }: IncomingMessage, response: ServerResponse, why: string): void {
  if (headers.accept?.includes("text/html") !== true || url?.startsWith("/api/") === true) {
    send(response, 403, errorOf("not_allowed", why))
    return
  }
  response.writeHead(403, { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" })
  response.end(`${why}\n`)
}

function errorOf(code: string, what: string) {
  return { code, what, why: "", use_instead: "" }
}

function shown({ id, name, hive }: Project) {
  return { id, name, dir: hive.dir, isOpen: true }
}

const HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
}
const MAX_HEADER_BYTES = 16 * 1024
const MAX_CONNECTIONS = 64
const REQUEST_MS = 30_000
