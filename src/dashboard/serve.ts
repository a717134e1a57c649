import { existsSync } from "node:fs"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import type { Hive } from "../hive/hive.ts"
import { HiveError, toRefusal } from "../shared/error.ts"
import { systemCode } from "../shared/system-error.ts"
import { createAccess } from "./access.ts"
import type { DoctorView, NowView } from "./answers/model.ts"
import { takeCommand } from "./commands.ts"
import { pageJson, readPageFiles, sendSmallPage } from "./page-files.ts"
import { routes } from "./routes.ts"
import { watchChanges } from "./watch-changes.ts"

export interface DashboardOptions {
  hive: Hive
  port?: number
  now: () => number
  onError: (error: unknown) => void
  doctor?: () => Promise<DoctorView>
  /** The notice that no coding agent loads HiveMind in this folder; null if one does. */
  inactive?: () => Promise<string | null>
  /** The offer to import past sessions; null if there is nothing to import. */
  pastSessions?: () => Promise<string | null>
}

/** Two addresses of the page. Each works once. */
export interface Invitations {
  /** The address to print for the user. */
  url: string
  /** The address for the command line that opens a browser; other users may see it there. */
  opens: string
}

export type Dashboard = Awaited<ReturnType<typeof serveDashboard>>

export async function serveDashboard(options: DashboardOptions) {
  const { hive, onError, doctor } = options
  const files = readPageFiles()
  const changes = watchChanges(hive, onError)
  const access = createAccess(() => bound, options.now)
  const { base } = access
  const server = createServer(LIMITS, (request, response) => {
    answer(request, response).catch((error: unknown) => fail(response, error))
  })
  const connections = limitConnections(server)
  const bound = await listen(server, options.port ?? 0)

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value)
    const [asked, origin] = [request.url ?? "/", `http://127.0.0.1:${bound}`]
    // Programs other than browsers may send an invalid URL.
    if (!asked.startsWith("/") || !URL.canParse(asked, origin))
      return send(response, 400, errorOf("invalid_argument", "The requested address is not a valid URL."))
    const foreign = access.originRefusal(request)
    if (foreign !== undefined) return refuse(request, response, foreign)
    const url = new URL(asked, origin)
    const secret = url.pathname === "/enter" ? url.searchParams.get("secret") : null
    if (secret !== null && request.method === "GET") return enter(request, response, secret)
    const refusal = access.visitRefusal(request)
    if (refusal !== undefined) return refuse(request, response, refusal)
    connections.markKnown(request.socket)
    if (!url.pathname.startsWith(base))
      return send(response, 404, errorOf("not_found", "There is no such page."))
    await answerPage(request, response, `/${url.pathname.slice(base.length)}`, url.searchParams)
  }

  async function answerPage(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    params: URLSearchParams,
  ): Promise<void> {
    const isChange = request.method === "POST" && path === "/api/commands"
    if (request.method !== "GET" && !isChange)
      return send(response, 405, errorOf("invalid_argument", "This address only allows GET requests."))
    const file = files.get(path)
    if (file !== undefined) {
      response.writeHead(200, { "content-type": file.type, "cache-control": "no-cache" })
      response.end(file.body)
      return
    }
    // If the folder is missing, the project would look empty instead of missing.
    if (!existsSync(hive.dir))
      return send(response, 404, errorOf("not_found", `The folder ${hive.dir} is gone.`))
    if (isChange) return send(response, 200, await takeCommand(hive, request))
    if (path === "/api/events") return changes.sendTo(response)
    if (path === "/api/doctor" && doctor !== undefined) return send(response, 200, await doctor())
    const route = routes[path]
    if (route === undefined) return send(response, 404, errorOf("not_found", "There is no such page."))
    const view = await route(hive, params)
    if (path !== "/api/now") return send(response, 200, view)
    const [inactive, past_sessions] = [await options.inactive?.(), await options.pastSessions?.()]
    send(response, 200, { ...(view as NowView), inactive, past_sessions })
  }

  function enter(request: IncomingMessage, response: ServerResponse, secret: string): void {
    // A prefetch would use up the address. The browser requests it again when the user opens it.
    if (String(request.headers["sec-purpose"] ?? request.headers["purpose"]).includes("prefetch"))
      return void send(response, 503, errorOf("not_allowed", "This page is not served to prefetch requests."))
    const cookie = access.enter(secret, request)
    if (cookie === undefined) return void refuse(request, response, USED)
    response.setHeader("set-cookie", cookie)
    const site = request.headers["sec-fetch-site"] ?? "none"
    if (site === "none" || site === "same-origin") {
      response.writeHead(303, { location: base, "cache-control": "no-store" })
      response.end()
      return
    }
    // The user came by a link on another page, such as a web terminal. The browser would not send a strict cookie with that
    // navigation, so a small page of our own starts a new one.
    sendSmallPage(response, 200, "The dashboard is opening.", base)
  }

  function fail(response: ServerResponse, error: unknown): void {
    if (!(error instanceof HiveError)) onError(error)
    if (response.headersSent) return void response.end()
    const { code, what, why, use_instead } = toRefusal(error)
    const status = code === "not_found" ? 404 : error instanceof HiveError ? 400 : 500
    send(response, status, { code, what, why, use_instead })
  }

  return {
    port: bound,
    base,
    invite(): Invitations {
      const at = `http://127.0.0.1:${bound}/enter?secret=`
      return { url: `${at}${access.invite()}`, opens: `${at}${access.invite({ isSeen: true })}` }
    },
    async close() {
      changes.close()
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
    },
  }
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "cache-control": "no-store",
  })
  response.end(pageJson(body))
}

function refuse({ headers, url }: IncomingMessage, response: ServerResponse, why: string): void {
  if (headers.accept?.includes("text/html") === true && url?.includes("/api/") !== true)
    sendSmallPage(response, 403, why)
  else send(response, 403, errorOf("not_allowed", why))
}

const errorOf = (code: string, what: string) => ({ code, what, why: "", use_instead: "" })

const HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
}
const USED = "This address was used already or is too old. Run `hivemind dashboard` again for a new one."

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => reject(portError(error, port)))
    // The cast is safe: only a server on a Unix socket has a string as its address.
    server.listen(port, "127.0.0.1", () => resolve((server.address() as AddressInfo).port))
  })
}

function portError(error: Error, port: number): Error {
  const code = systemCode(error)
  if (code !== "EADDRINUSE" && code !== "EACCES") return error
  const isTaken = code === "EADDRINUSE"
  const refusal = {
    code: "conflict",
    what: isTaken ? `Port ${port} is taken.` : `Port ${port} cannot be used.`,
    why: isTaken ? "Another program listens on it." : "The operating system reserves it.",
    use_instead: "Give another port, or leave --port out to use any free port.",
    evidence: error.message,
  } as const
  return new HiveError(refusal, { cause: error })
}

const LIMITS = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 5_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 2_000,
}

/** Closes the oldest connection without a cookie if there are too many, so that the user's browser can always connect. */
function limitConnections(server: Server): { markKnown: (socket: Socket) => void } {
  const unknown = new Set<Socket>()
  server.maxConnections = MAX_CONNECTIONS
  server.on("connection", (socket) => {
    unknown.add(socket)
    socket.once("close", () => unknown.delete(socket))
    const [oldest] = unknown
    if (unknown.size <= MAX_UNKNOWN || oldest === undefined) return
    unknown.delete(oldest)
    oldest.destroy()
  })
  return { markKnown: (socket) => void unknown.delete(socket) }
}

const MAX_CONNECTIONS = 128
const MAX_UNKNOWN = 32
