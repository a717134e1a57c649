import { chmod, mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"

export interface FakeOpencode {
  version?: string
  tools?: string[]
  complaint?: string
  refusal?: unknown
  exit?: number
}

/**
 * A program that answers like OpenCode where doctor asks. Unit tests need every outcome, also those that a healthy
 * OpenCode does not show; test/live/doctor.test.ts has the real one. Returns the environment to find it by.
 */
export async function fakeOpencode(dir: string, behaviour: FakeOpencode = {}): Promise<{ PATH: string }> {
  await mkdir(dir, { recursive: true })
  const path = join(dir, "opencode")
  await writeFile(path, `#!${process.execPath}\nconst behaviour = ${JSON.stringify(behaviour)}\n${PROGRAM}`)
  await chmod(path, 0o755)
  return { PATH: dir }
}

const PROGRAM = `
const { createServer } = require("node:http")
const { writeFileSync } = require("node:fs")
const args = process.argv.slice(2)
if (args[0] === "--version") {
  console.log(behaviour.version ?? "1.18.33")
  process.exit(0)
}
writeFileSync("pid.txt", String(process.pid))
if (behaviour.exit !== undefined) {
  console.error("no such option")
  process.exit(behaviour.exit)
}
if (behaviour.tools === undefined && behaviour.refusal === undefined) setInterval(() => {}, 1000)
else {
  const login = process.env.OPENCODE_SERVER_USERNAME + ":" + process.env.OPENCODE_SERVER_PASSWORD
  const expected = "Basic " + Buffer.from(login).toString("base64")
  const port = Number(args[args.indexOf("--port") + 1])
  createServer((request, response) => {
    if (request.headers.authorization !== expected) return response.writeHead(401).end("{}")
    const url = new URL(request.url, "http://x")
    if (url.pathname === "/global/event") {
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders()
      const event = { payload: { type: "session.error", properties: { error: { data: { message: behaviour.complaint } } } } }
      return response.write("data: " + JSON.stringify(event) + "\\n\\n")
    }
    if (url.pathname !== "/experimental/tool/ids" || url.searchParams.get("directory") !== process.cwd())
      return response.writeHead(404).end("{}")
    if (behaviour.refusal !== undefined) return response.writeHead(400).end(JSON.stringify(behaviour.refusal))
    response.end(JSON.stringify(behaviour.tools))
  }).listen(port, "127.0.0.1", () => console.log("opencode server listening on http://127.0.0.1:" + port))
}
`
