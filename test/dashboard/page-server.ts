import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { extname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { bundlePage } from "../../scripts/bundle.mjs"
import type { CommandView } from "../../src/dashboard/answers/model.ts"

/** Answers by address, as the page asks: `/api/now`, `/api/plan?id=…`. */
export type Answers = (path: string, params: URLSearchParams) => unknown

export interface PageServer {
  url: string
  /** Every command that was sent, oldest first. */
  commands: Record<string, unknown>[]
  /** Tells all pages that something has changed. */
  change(): void
  /** Applies or refuses a command that waits. */
  settle(command: CommandView): void
  /** Answers at this address break off half way, until the returned function is called. */
  holdHalf(path: string): () => void
  /** How many pages listen. */
  listening(): number
  /** Ends what pages listen to; they come again by themselves. */
  hangUp(): void
  close(): Promise<void>
}

/** The built page with prepared answers behind it, under the policy that the real server sends. */
export async function servePage(answers: Answers): Promise<PageServer> {
  const folder = mkdtempSync(join(tmpdir(), "hivemind-page-"))
  await bundlePage(root, folder)
  const listeners = new Set<ServerResponse>()
  const commands: Record<string, unknown>[] = []
  const settled = new Map<string, CommandView>()
  const held = new Map<string, (() => void)[]>()
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost")
    searchParams.delete("project")
    const send = (body: unknown, status = 200) => {
      const text = JSON.stringify(body)
      const half = text.length / 2
      // As the real server has it: no answer is kept by the browser.
      response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" })
      const waits = held.get(pathname)
      if (waits === undefined) return response.end(text)
      response.write(text.slice(0, half))
      return waits.push(() => response.end(text.slice(half)))
    }
    if (pathname === "/api/events") {
      response.writeHead(200, { "content-type": "text/event-stream" }).write("retry: 100\n\n")
      listeners.add(response)
      request.on("close", () => listeners.delete(response))
    } else if (pathname === "/api/commands") {
      let text = ""
      request.on("data", (piece) => {
        text += piece
      })
      request.on("end", () => {
        if (request.headers["x-hivemind"] !== "1") return send(NOT_FOUND, 403)
        const id = `command-${commands.push(JSON.parse(text).command)}`
        // A test before this one may have had a command of the same number.
        settled.delete(id)
        return send(waiting(id))
      })
    } else if (pathname === "/api/command") {
      const id = searchParams.get("id") ?? ""
      send(settled.get(id) ?? waiting(id))
    } else if (pathname.startsWith("/api/")) {
      const answer = answers(pathname, searchParams)
      send(answer ?? NOT_FOUND, answer === undefined ? 404 : 200)
    } else {
      const file = pathname === "/" ? "index.html" : pathname.slice(1)
      try {
        const body = readFileSync(join(folder, file))
        const type = TYPES[extname(file)] ?? "application/octet-stream"
        response.writeHead(200, { "content-type": type, "content-security-policy": POLICY }).end(body)
      } catch {
        response.writeHead(404).end()
      }
    }
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const tell = (event: string, data: unknown) => {
    for (const each of listeners) each.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    commands,
    change: () => tell("change", {}),
    settle: (command) => {
      settled.set(command.id, command)
      tell("queue", command)
    },
    holdHalf: (path) => {
      held.set(path, [])
      return () => {
        const waits = held.get(path) ?? []
        held.delete(path)
        for (const finish of waits) finish()
      }
    },
    listening: () => listeners.size,
    hangUp: () => {
      for (const each of listeners) each.end()
      listeners.clear()
    },
    close: () => {
      server.closeAllConnections()
      rmSync(folder, { recursive: true, force: true })
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

function waiting(id: string): CommandView {
  return { id, state: "waiting", what: null, why: null, use_instead: null }
}

const root = fileURLToPath(new URL("../..", import.meta.url))
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
const TYPES: Record<string, string> = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css" }
const NOT_FOUND = {
  code: "not_found",
  what: "There is no such thing.",
  why: "No id starts like that.",
  use_instead: "Go back.",
}
