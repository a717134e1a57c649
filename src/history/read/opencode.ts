import { type Row, Sqlite, UnreadableDatabase } from "./sqlite.ts"
import {
  type CallStep,
  callStep,
  cutOutput,
  fieldsOf,
  filesOfPatch,
  isoTime,
  listOf,
  type Step,
  type Steps,
  textOf,
  textsIn,
  todosIn,
} from "./step.ts"

/** A session in OpenCode's database; `session_v2` is the table of OpenCode 2. */
export interface OpencodeSession {
  id: string
  folder: string
  updated: number
}

/** The sessions of a database, without those of subagents. Empty where it cannot be read. */
export function opencodeSessions(path: string): OpencodeSession[] {
  let database: Sqlite | undefined
  try {
    database = new Sqlite(path)
    const found: OpencodeSession[] = []
    for (const table of ["session", "session_v2"])
      if (database.has(table))
        for (const { id, directory, parent_id, time_updated } of database.rows(table))
          if (parent_id === null)
            found.push({ id: String(id), folder: String(directory), updated: Number(time_updated) })
    return found
  } catch {
    return [] // No database, or not one that is known: nothing was found.
  } finally {
    database?.close()
  }
}

export function* readOpencode(path: string, session: string): Steps {
  const database = new Sqlite(path)
  try {
    if (database.has("session_v2")) {
      for (const row of database.rowsBy("session_message_session_seq_idx", session)) {
        yield undefined
        yield* messageSteps(row)
      }
    } else if (!database.has("part")) throw new UnreadableDatabase(path)
    else
      for (const message of database.rowsBy("message_session_time_created_id_idx", session))
        for (const part of database.rowsBy("part_message_id_id_idx", String(message["id"]))) {
          yield undefined
          yield* partSteps(message, part)
        }
  } finally {
    database.close()
  }
}

/** OpenCode 1 keeps messages and their parts apart. */
function* partSteps(message: Row, part: Row): Generator<Step, void, void> {
  const { role } = jsonIn(message)
  const { type, text, synthetic, ignored, tool, state } = jsonIn(part)
  const made = madeOf(message)
  if (type === "tool") yield calledStep(made, textOf(tool), fieldsOf(state))
  else if (type === "text" && synthetic !== true && ignored !== true)
    yield* textSteps(made, role === "user", textOf(text))
}

/** OpenCode 2 keeps a message in one row. */
function* messageSteps(row: Row): Generator<Step, void, void> {
  const made = madeOf(row)
  const { text, content } = jsonIn(row)
  if (row["type"] === "user") yield* textSteps(made, true, textOf(text))
  else if (row["type"] === "assistant")
    for (const each of listOf(content)) {
      const { type, name, state, text: said } = fieldsOf(each)
      if (type === "tool") yield calledStep(made, textOf(name), fieldsOf(state))
      else if (type === "text") yield* textSteps(made, false, textOf(said))
    }
}

type Made = Pick<Step, "ids" | "at" | "branch">

function madeOf({ id, time_created }: Row): Made {
  return { ids: [String(id)], at: isoTime(Number(time_created)), branch: null }
}

function* textSteps(made: Made, isUser: boolean, text: string): Generator<Step, void, void> {
  const own = text.trim()
  if (own === "") return
  yield isUser
    ? { what: "user", text: own, rejectsCall: false, ...made }
    : { what: "say", text: own, ...made }
}

function calledStep(made: Made, tool: string, state: Record<string, unknown>): CallStep {
  const input = fieldsOf(state["input"])
  const { exit } = fieldsOf(state["metadata"])
  const output = cutOutput(textsIn(state["content"]) || textOf(state["output"]) || textOf(state["error"]))
  const isEnded = state["status"] === "completed" || state["status"] === "error"
  const isOk = isEnded ? state["status"] === "completed" && (typeof exit !== "number" || exit === 0) : null
  const result = { output, isOk, ...made }
  const file = textOf(input["filePath"]) || textOf(input["path"])
  if (tool === "bash" || tool === "shell")
    return callStep({ kind: "run", command: textOf(input["command"]), ...result })
  if (tool === "todowrite") return callStep({ kind: "todo", todos: todosIn(input["todos"]), ...result })
  const patched = filesOfPatch(textOf(input["patchText"]))
  if (patched.length > 0) return callStep({ kind: "edit", files: patched, ...result })
  if (/^(write|edit|multiedit)$/.test(tool)) return callStep({ kind: "edit", files: [file], ...result })
  return callStep({ kind: "other", command: tool, ...result })
}

function jsonIn({ data }: Row): Record<string, unknown> {
  try {
    return fieldsOf(JSON.parse(String(data)))
  } catch {
    return {} // Damaged: the message is left out.
  }
}
