import { mkdtempSync, rmSync } from "node:fs"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { json } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { bundlePage } from "../../scripts/bundle.mjs"
import type { CommandView } from "../../src/dashboard/answers/model.ts"
import { type PageFile, readPageFiles } from "../../src/dashboard/page-files.ts"

export type Answers = (path: string, params: URLSearchParams) => unknown

interface Sent {
  command: Record<string, unknown>
}

export type PageServer = Awaited<ReturnType<typeof servePage>>

/** The built page with prepared answers behind it, under the policy that the real server sends. */
export async function servePage(answers: Answers) {
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
      if (request.headers["x-hivemind"] !== "1") send(NOT_FOUND, 403)
      else json(request).then((body) => send(waiting(`command-${commands.push((body as Sent).command)}`)))
    } else if (pathname === "/api/command") {
      const id = searchParams.get("id") ?? ""
      send(settled.get(id) ?? waiting(id))
    } else if (pathname.startsWith("/api/")) {
      const answer = answers(pathname, searchParams)
      send(answer ?? NOT_FOUND, answer === undefined ? 404 : 200)
    } else {
      const { type = "text/plain", body = "" } = files.get(pathname) ?? {}
      const headers = { "content-type": type, "cache-control": "no-cache", "content-security-policy": POLICY }
      response.writeHead(files.has(pathname) ? 200 : 404, headers).end(body)
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
    settle: (command: CommandView) => {
      settled.set(command.id, command)
      tell("queue", command)
    },
    holdHalf: (path: string) => void held.set(path, []),
    heldAnswers: (path: string) => held.get(path)?.length ?? 0,
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
      return new Promise<void>((resolve) => server.close(() => resolve()))
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
