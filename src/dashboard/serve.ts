import { existsSync } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { Hive } from "../hive/hive.ts"
import { HiveError, toRefusal } from "../shared/error.ts"
import { createAccess } from "./access.ts"
import type { DoctorView } from "./answers/model.ts"
import { boundConnections } from "./bound-connections.ts"
import { takeCommand } from "./commands.ts"
import { sendEvents } from "./events.ts"
import { LIMITS, listen } from "./listen.ts"
import { newsOf } from "./news.ts"
import { readPageFiles } from "./page-files.ts"
import { pageJson } from "./page-json.ts"
import { type Project, projectOf } from "./project.ts"
import { isSame, proofOf } from "./proof.ts"
import { routes } from "./routes.ts"
import { sendSmallPage } from "./small-page.ts"

export interface DashboardOptions {
  /** 0 or left out: any that is free. */
  port?: number
  now: () => number
  /** What another command line of the same user shows that it is one. */
  token: string
  /** Opens the hive of another project. */
  open: (dir: string) => Promise<Hive>
  onError: (error: unknown) => void
  /** What `hivemind doctor` finds in a project; left out where it cannot be asked. */
  doctor?: (dir: string) => Promise<DoctorView>
}

/** Each opens the page once. */
export interface Invitations {
  /** For a person to read. */
  url: string
  /** For the command line of what opens a browser, which others may see. */
  opens: string
}

export interface Dashboard {
  port: number
  /** Where the page lies. */
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
}: DashboardOptions): Promise<Dashboard> {
  const files = readPageFiles()
  const projects = new Map<string, Project>()
  const opened: Hive[] = []
  const access = createAccess(() => bound, now)
  const { base } = access
  const server = createServer(LIMITS, (request, response) => {
    answer(request, response).catch((error: unknown) => fail(response, error))
  })
  const connections = boundConnections(server)
  const bound = await listen(server, port)

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value)
    const [asked, origin] = [request.url ?? "/", `http://127.0.0.1:${bound}`]
    // A program may send anything; a browser sends addresses.
    if (!asked.startsWith("/") || !URL.canParse(asked, origin))
      return send(response, 400, errorOf("invalid_argument", "This is no address of a page."))
    const elsewhere = access.isElsewhere(request)
    if (elsewhere !== undefined) return refuse(request, response, elsewhere)
    const url = new URL(asked, origin)
    const secret = url.pathname === "/enter" ? url.searchParams.get("secret") : null
    if (secret !== null && request.method === "GET") return enter(request, response, secret, url)
    if (url.pathname === "/control" && request.method === "POST") return control(request, response, url)
    const refusal = access.refusal(request)
    if (refusal !== undefined) return refuse(request, response, refusal)
    connections.known(request.socket)
    if (!url.pathname.startsWith(base))
      return send(response, 404, errorOf("not_found", "There is no such page."))
    await answerPage(request, response, `/${url.pathname.slice(base.length)}`, url.searchParams)
  }

  /** Who asks is known here. */
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
    if (path === "/api/projects") return send(response, 200, { projects: [...projects.values()].map(shown) })
    const wanted = params.get("project")
    // One that is not here is not another one: a change would go to the wrong project.
    const project = wanted ? projects.get(wanted) : [...projects.values()][0]
    if (project === undefined)
      return send(response, 404, errorOf("not_found", "This project is not open here."))
    // An empty view would say that nothing was ever there.
    if (!existsSync(project.hive.dir))
      return send(response, 404, errorOf("not_found", `The folder ${project.hive.dir} is gone.`))
    if (isChange) return send(response, 200, await takeCommand(project.hive, request))
    if (path === "/api/events") return sendEvents(project.news, response)
    if (path === "/api/doctor" && doctor !== undefined)
      return send(response, 200, await doctor(project.hive.dir))
    const route = routes[path]
    if (route === undefined) return send(response, 404, errorOf("not_found", "There is no such page."))
    send(response, 200, await route(project.hive, params))
  }

  function enter(request: IncomingMessage, response: ServerResponse, secret: string, url: URL): void {
    // A browser that fetches ahead would use the address up; it asks again when somebody goes there.
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
    // A page with a terminal in it has led here. No cookie goes along with what another page has begun: this one begins anew.
    sendSmallPage(response, 200, { text: "The dashboard opens.", next })
  }

  /** Another `hivemind dashboard` of the same user, who can read the token: its project is shown here too. */
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
    const named = projectOf(hive)
    const project = projects.get(named.id) ?? { ...named, hive, news: newsOf(hive, onError) }
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
      for (const { news } of projects.values()) news.close()
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

/** A person in front of a browser gets a sentence, a program its form. */
function refuse({ headers, url }: IncomingMessage, response: ServerResponse, why: string): void {
  if (headers.accept?.includes("text/html") === true && url?.includes("/api/") !== true)
    sendSmallPage(response, 403, { text: why })
  else send(response, 403, errorOf("not_allowed", why))
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
const USED = "This address was used already, or is too old: `hivemind dashboard` prints a new one."
