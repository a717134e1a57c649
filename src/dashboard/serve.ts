import { existsSync } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { Hive } from "../hive/hive.ts"
import { HiveError, toRefusal } from "../shared/error.ts"
import { createAccess, isSame, proofOf } from "./access.ts"
import type { DoctorView, NowView } from "./answers/model.ts"
import { takeCommand } from "./commands.ts"
import { LIMITS, limitConnections, listen } from "./connections.ts"
import { pageJson, readPageFiles, sendSmallPage } from "./page-files.ts"
import { openProject, type Project, projectId } from "./project.ts"
import { routes } from "./routes.ts"

export interface DashboardOptions {
  /** 0 or left out: any free port. */
  port?: number
  now: () => number
  /** Shared with other command lines of the same user. */
  token: string
  /** Opens the hive of another project. */
  open: (dir: string) => Promise<Hive>
  onError: (error: unknown) => void
  /** Runs the checks of `hivemind doctor`; left out where it cannot. */
  doctor?: (dir: string) => Promise<DoctorView>
  /** The notice that no host loads HiveMind in a folder; null where one does. */
  inactive?: (dir: string) => Promise<string | null>
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
  /** Addresses that open the page at a project. */
  invite: (project: Project) => Invitations
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
  doctor,
  inactive,
}: DashboardOptions): Promise<Dashboard> {
  const files = readPageFiles()
  const projects = new Map<string, Project>()
  const opened: Hive[] = []
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
    if (secret !== null && request.method === "GET") return enter(request, response, secret, url)
    if (url.pathname === "/control" && request.method === "POST") return control(request, response, url)
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
    if (path === "/api/projects")
      return send(response, 200, {
        projects: [...projects.values()].map(({ id, name, hive }) => ({ id, name, dir: hive.dir })),
      })
    const wanted = params.get("project")
    // Never another project instead: a change would go to the wrong one.
    const project = wanted ? projects.get(wanted) : [...projects.values()][0]
    if (project === undefined)
      return send(response, 404, errorOf("not_found", "This project is not open here."))
    // Without its folder a project would look empty.
    if (!existsSync(project.hive.dir))
      return send(response, 404, errorOf("not_found", `The folder ${project.hive.dir} is gone.`))
    if (isChange) return send(response, 200, await takeCommand(project.hive, request))
    if (path === "/api/events") return project.changes.sendTo(response)
    if (path === "/api/doctor" && doctor !== undefined)
      return send(response, 200, await doctor(project.hive.dir))
    const route = routes[path]
    if (route === undefined) return send(response, 404, errorOf("not_found", "There is no such page."))
    const view = await route(project.hive, params)
    if (path !== "/api/now" || inactive === undefined) return send(response, 200, view)
    send(response, 200, { ...(view as NowView), inactive: await inactive(project.hive.dir) })
  }

  function enter(request: IncomingMessage, response: ServerResponse, secret: string, url: URL): void {
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
    const next = `${base}?project=${encodeURIComponent(url.searchParams.get("project") ?? "")}`
    const site = request.headers["sec-fetch-site"] ?? "none"
    if (site === "none" || site === "same-origin") {
      response.writeHead(303, { location: next, "cache-control": "no-store" })
      response.end()
      return
    }
    // A link on another page, such as a web terminal, led here. A strict cookie is not sent with that navigation, so a page of
    // ours starts a new one.
    sendSmallPage(response, 200, { text: "The dashboard opens.", next })
  }

  /** Another `hivemind dashboard` of the same user, which can read the token, adds its project here. */
  async function control(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    const [dir, nonce] = [url.searchParams.get("dir") ?? "", url.searchParams.get("nonce") ?? ""]
    if (!isSame(request.headers.authorization ?? "", proofOf(token, "ask", nonce, dir)))
      return send(response, 403, errorOf("not_allowed", "Only a command line of the same user may."))
    const hive = await open(dir)
    const project = add(hive)
    if (project.hive === hive) opened.push(hive)
    else await hive.store.close()
    const { url: told, opens } = invite(project)
    send(response, 200, { url: told, opens, proof: proofOf(token, "answer", nonce, told, opens) })
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
    const project = projects.get(projectId(hive)) ?? openProject(hive, onError)
    projects.set(project.id, project)
    return project
  }

  function invite({ id }: Project): Invitations {
    const at = `http://127.0.0.1:${bound}/enter?project=${id}&secret=`
    return { url: `${at}${access.invite()}`, opens: `${at}${access.invite({ isSeen: true })}` }
  }

  return {
    port: bound,
    base,
    invite,
    add,
    async close() {
      for (const { changes } of projects.values()) changes.close()
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
      for (const hive of opened) await hive.store.close()
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
