import { execFile } from "node:child_process"
import { stepsOfLines, textLines } from "./lines.ts"
import {
  callStep,
  type Fields,
  type FoundSession,
  fieldsOf,
  jsonIn,
  listOf,
  type Step,
  textOf,
  textSteps,
  textsIn,
  withResult,
} from "./step.ts"

/** The sessions in a database of OpenCode 1 or 2, except those of subagents. Empty if it cannot be read. */
export async function opencodeSessions(path: string): Promise<(FoundSession & { folder: string })[]> {
  const listed = await query(path, SESSIONS, []).catch(() => Buffer.alloc(0))
  return [...textLines([listed])].flatMap((line) => {
    if (line === undefined) return []
    const { id, directory, time_updated } = jsonIn(line)
    const modified = isoTime(time_updated)
    const open = async () => stepsOfLines([await query(path, MESSAGES, [textOf(id)])], messageSteps)
    const found = { agent: "opencode", id: textOf(id), path, bytes: 0, modified, version: modified } as const
    return [{ ...found, open, folder: textOf(directory) }]
  })
}

/** The steps in a row of the database: part of a message in OpenCode 1, a whole message in OpenCode 2. */
function messageSteps({ id, time_created, role, data }: Fields): Step[] {
  const made = { ids: [textOf(id)], at: isoTime(time_created), branch: null }
  const whole = jsonIn(data)
  const parts = "content" in whole ? listOf(whole["content"]) : [whole]
  return parts.flatMap((each): Step[] => {
    const { type, text, synthetic, ignored, tool, name, state: given } = fieldsOf(each)
    if (type === "tool") {
      const state = fieldsOf(given)
      const { exit = 0 } = fieldsOf(state["metadata"])
      const isEnded = state["status"] === "completed" || state["status"] === "error"
      const isOk = isEnded ? state["status"] === "completed" && exit === 0 : null
      const output = textsIn(state["content"]) || textOf(state["output"]) || textOf(state["error"])
      return [withResult(callStep(made, textOf(tool) || textOf(name), state["input"]), isOk, output)]
    }
    const isOwn = synthetic !== true && ignored !== true && (type === "text" || type === undefined)
    return isOwn ? textSteps(role === "user" ? "user" : "say", textOf(text), made) : []
  })
}

/** Converts ms to an ISO time. An invalid number becomes 1970. */
function isoTime(ms: unknown): string {
  const at = new Date(Number(ms))
  return new Date(Number.isNaN(at.getTime()) ? 0 : at).toISOString()
}

/** Queries the database in a child process: Node.js has SQLite since 22.13; OpenCode contains Bun, which has it too. */
async function query(path: string, queries: readonly string[], values: readonly string[]): Promise<Buffer> {
  const own = process.versions["electron"] === undefined ? [process.execPath] : []
  let failure: unknown
  for (const program of [...own, "opencode", "bun", "node"])
    try {
      return await new Promise((resolve, reject) => {
        const env = { ...process.env, BUN_BE_BUN: "1" }
        const args = ["-e", SCRIPT, JSON.stringify({ path, queries, values })]
        const limits = {
          timeout: LIMIT_MS,
          maxBuffer: MAX_BYTES,
          encoding: "buffer",
          windowsHide: true,
        } as const
        execFile(program, args, { ...limits, env }, (error, output) =>
          error === null ? resolve(output) : reject(error),
        )
      })
    } catch (error) {
      failure ??= error
    }
  throw new Error(
    "OpenCode's database cannot be read without SQLite: use Node.js 22.13 or later, or put OpenCode on the PATH",
    {
      cause: failure,
    },
  )
}

const SCRIPT = `
const { path, queries, values } = JSON.parse(process.argv.at(-1))
const database = process.versions.bun
  ? new (require("bun:sqlite").Database)(path, { readonly: true })
  : new (require("node:sqlite").DatabaseSync)(path, { readOnly: true })
const tables = database.prepare("select name from sqlite_master").all().map(({ name }) => name)
for (const query of queries) {
  if (!tables.includes(/from (\\w+)/.exec(query)[1])) continue
  const rows = database.prepare(query).all(...values)
  for (const row of rows) console.log(JSON.stringify(row))
  // A session that OpenCode 2 has taken over from OpenCode 1 may be in both tables.
  if (rows.length > 0 && values.length > 0) break
}
`
const SESSIONS = ["session", "session_v2"].map(
  (table) => `select id, directory, time_updated from ${table} where parent_id is null`,
)
const MESSAGES = [
  "select id, time_created, type as role, data from session_message where session_id = ? and length(data) < 1000000 order by seq",
  "select m.id, m.time_created, json_extract(m.data, '$.role') as role, p.data from message m join part p on p.message_id = m.id where m.session_id = ? and length(p.data) < 1000000 order by m.time_created, m.id, p.id",
]
const LIMIT_MS = 60_000
const MAX_BYTES = 64 << 20
