import { mkdtempSync, rmSync } from "node:fs"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { bundlePage } from "../../scripts/bundle.mjs"
import type { CommandView } from "../../src/dashboard/answers/model.ts"
import { type PageFile, readPageFiles } from "../../src/dashboard/page-files.ts"

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
  /** Answers at this address stop half way, until `releaseHeld`. */
  holdHalf(path: string): void
  /** How many answers at this address stopped half way. */
  heldAnswers(path: string): number
  /** Sends the rest of every held answer. */
  releaseHeld(): void
  /** How many pages listen. */
  listening(): number
  /** Ends what pages listen to; they come again by themselves. */
  hangUp(): void
  close(): Promise<void>
}

/** The built page with prepared answers behind it, under the policy that the real server sends. */
export async function servePage(answers: Answers): Promise<PageServer> {
  built ??= buildPage()
  const files = await built
  const listeners = new Set<ServerResponse>()
  const commands: Record<string, unknown>[] = []
  const settled = new Map<string, CommandView>()
  const held = new Map<string, (() => void)[]>()
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost")
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
        return send(waiting(`command-${commands.push(JSON.parse(text).command)}`))
      })
    } else if (pathname === "/api/command") {
      const id = searchParams.get("id") ?? ""
      send(settled.get(id) ?? waiting(id))
    } else if (pathname.startsWith("/api/")) {
      const answer = answers(pathname, searchParams)
      send(answer ?? NOT_FOUND, answer === undefined ? 404 : 200)
    } else {
      const file = files.get(pathname)
      if (file === undefined) response.writeHead(404).end()
      else
        response
          .writeHead(200, {
            ...{ "content-type": file.type, "cache-control": "no-cache" },
            "content-security-policy": POLICY,
          })
          .end(file.body)
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
    holdHalf: (path) => held.set(path, []),
    heldAnswers: (path) => held.get(path)?.length ?? 0,
    releaseHeld: () => {
      const waits = [...held.values()].flat()
      held.clear()
      for (const finish of waits) finish()
    },
    listening: () => listeners.size,
    hangUp: () => {
      for (const each of listeners) each.end()
      listeners.clear()
    },
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

let built: Promise<Map<string, PageFile>> | undefined

/** Once for all servers of a process. */
async function buildPage(): Promise<Map<string, PageFile>> {
  const folder = mkdtempSync(join(tmpdir(), "hivemind-page-"))
  try {
    await bundlePage(root, folder)
    return readPageFiles(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function waiting(id: string): CommandView {
  return { id, state: "waiting", what: null, why: null, use_instead: null }
}

const root = fileURLToPath(new URL("../..", import.meta.url))
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
const NOT_FOUND = {
  code: "not_found",
  what: "There is no such thing.",
  why: "No id starts like that.",
  use_instead: "Go back.",
}
