import { existsSync } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { Hive } from "../hive/hive.ts"
import { HiveError, toRefusal } from "../shared/error.ts"
import { createAccess } from "./access.ts"
import type { DoctorView, NowView } from "./answers/model.ts"
import { takeCommand } from "./commands.ts"
import { LIMITS, limitConnections, listen } from "./connections.ts"
import { pageJson, readPageFiles, sendSmallPage } from "./page-files.ts"
import { routes } from "./routes.ts"
import { watchChanges } from "./watch-changes.ts"

export interface DashboardOptions {
  /** The project that the page shows. */
  hive: Hive
  /** 0 or left out: any free port. */
  port?: number
  now: () => number
  onError: (error: unknown) => void
  /** Runs the checks of `hivemind doctor`; left out if it cannot. */
  doctor?: () => Promise<DoctorView>
  /** The notice that no host loads HiveMind in the folder; null if one does. */
  inactive?: () => Promise<string | null>
  /** Says which past sessions could be imported. */
  pastSessions?: () => Promise<string | null>
}

/** Each address opens the page once. */
export interface Invitations {
  /** For a person to read. */
  url: string
  /** For the command line that opens a browser, which other users may see. */
  opens: string
}

export interface Dashboard {
  port: number
  /** The path of the page. */
  base: string
  invite: () => Invitations
  close: () => Promise<void>
}

/** The dashboard's server, on this machine only. */
export async function serveDashboard({
  hive,
  port = 0,
  now,
  onError,
  doctor,
  inactive,
  pastSessions,
}: DashboardOptions): Promise<Dashboard> {
  const files = readPageFiles()
  const changes = watchChanges(hive, onError)
  const access = createAccess(() => bound, now)
  const { base } = access
  const server = createServer(LIMITS, (request, response) => {
    answer(request, response).catch((error: unknown) => fail(response, error))
  })
  const connections = limitConnections(server)
  const bound = await listen(server, port)

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value)
    const [asked, origin] = [request.url ?? "/", `http://127.0.0.1:${bound}`]
    // Browsers send valid addresses, other programs may send anything.
    if (!asked.startsWith("/") || !URL.canParse(asked, origin))
      return send(response, 400, errorOf("invalid_argument", "This is no address of a page."))
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

  /** Serves a request that has shown its cookie. */
  async function answerPage(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    params: URLSearchParams,
  ): Promise<void> {
    const isChange = request.method === "POST" && path === "/api/commands"
    if (request.method !== "GET" && !isChange)
      return send(response, 405, errorOf("invalid_argument", "This can only be read."))
    const file = files.get(path)
    if (file !== undefined) {
      response.writeHead(200, { "content-type": file.type, "cache-control": "no-cache" })
      response.end(file.body)
      return
    }
    // Without its folder a project would look empty.
    if (!existsSync(hive.dir))
      return send(response, 404, errorOf("not_found", `The folder ${hive.dir} is gone.`))
    if (isChange) return send(response, 200, await takeCommand(hive, request))
    if (path === "/api/events") return changes.sendTo(response)
    if (path === "/api/doctor" && doctor !== undefined) return send(response, 200, await doctor())
    const route = routes[path]
    if (route === undefined) return send(response, 404, errorOf("not_found", "There is no such page."))
    const view = await route(hive, params)
    if (path !== "/api/now") return send(response, 200, view)
    const notices = { inactive: await inactive?.(), past_sessions: await pastSessions?.() }
    send(response, 200, { ...(view as NowView), ...notices })
  }

  function enter(request: IncomingMessage, response: ServerResponse, secret: string): void {
    // Prefetching would use the address up; the browser asks again when the user goes there.
    if (String(request.headers["sec-purpose"] ?? request.headers["purpose"]).includes("prefetch")) {
      send(response, 503, errorOf("not_allowed", "Not ahead of time."))
      return
    }
    const cookie = access.enter(secret, request)
    if (cookie === undefined) {
      refuse(request, response, USED)
      return
    }
    response.setHeader("set-cookie", cookie)
    const site = request.headers["sec-fetch-site"] ?? "none"
    if (site === "none" || site === "same-origin") {
      response.writeHead(303, { location: base, "cache-control": "no-store" })
      response.end()
      return
    }
    // A link on another page, such as a web terminal, led here. A strict cookie is not sent with that navigation, so a page of
    // ours starts a new one.
    sendSmallPage(response, 200, { text: "The dashboard opens.", next: base })
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

  return {
    port: bound,
    base,
    invite() {
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

/** A browser gets a sentence, a program gets JSON. */
function refuse({ headers, url }: IncomingMessage, response: ServerResponse, why: string): void {
  if (headers.accept?.includes("text/html") === true && url?.includes("/api/") !== true)
    sendSmallPage(response, 403, { text: why })
  else send(response, 403, errorOf("not_allowed", why))
}

function errorOf(code: string, what: string) {
  return { code, what, why: "", use_instead: "" }
}

const HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
}
const USED = "This address was used already, or is too old: `hivemind dashboard` prints a new one."
