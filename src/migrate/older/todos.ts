import { maskAll } from "../../shared/secrets/mask.ts"
import { lineFrom, madeOf, objectFrom, piecesOf, textFrom } from "../fields.ts"
import type { Found, Taken } from "../found.ts"
import { jsonItems } from "../json-stream.ts"
import { planRecord, taskRecord } from "../make-record.ts"
import { findTask, idByWords, type Known, nextRank, olderId, wordsKey } from "./known.ts"
import { type OldFile, placeIn } from "./old-file.ts"
import { statusNote, taskStatus } from "./status.ts"
import { olderInbox, planWithInbox } from "./tree.ts"

/** `state/tasks.json`: a mirror of the host's own list of things to do. They become tasks of a plan of their session. */
export async function* readTodos(file: OldFile, known: Known): AsyncGenerator<Found, void, void> {
  // Two of them may have the same words.
  const before = new Set(known.titles.keys())
  let session = ""
  let at = file.at
  for await (const item of jsonItems(file.path)) {
    const from = placeIn(file, item.key, item.index)
    if ("fault" in item) yield { from, quarantine: item.fault, original: item.text }
    else if (item.index !== null) yield todoFound(from, item.value, { session, at, before }, known)
    else if (item.key === "session_id") session = textFrom(item.value) ?? ""
    else if (item.key === "updated_at") at = madeOf({ created: item.value }, file.at).created_at
    else if (item.key !== "version") yield { from, ignore: "not a part of a list of tasks" }
  }
}

function todoFound(
  from: string,
  value: unknown,
  { session, at, before }: { session: string; at: string; before: ReadonlySet<string> },
  known: Known,
): Found {
  const todo = objectFrom(value)
  const text = textFrom(todo?.["content"]) ?? textFrom(todo?.["text"]) ?? textFrom(todo?.["title"])
  if (todo === undefined || text === undefined)
    return { from, quarantine: "a task without words", original: value }
  const old = textFrom(todo["id"]) ?? text
  const id = olderId("todo", session, old)
  // An earlier migration has made a task of it, or of another copy of it.
  const isThere = findTask(known, known.lineage.get(old)) !== undefined || before.has(wordsKey("task", text))
  if (isThere && !isTaken(known, id, text)) return { from, ignore: "the graph or the tree has it too" }
  const made = madeOf({ created: todo["created_at"] ?? at, updated: at }, at)
  const plan = olderId("todos of", session)
  const { line: title, whole } = lineFrom(text)
  const priority = textFrom(todo["priority"])
  const wanted = [whole ?? title, priority === undefined ? "" : `Priority: ${priority}.`].filter(
    (each) => each !== "",
  )
  const record = taskRecord({
    ...{ id: todoId(known, id, title), title, ...made },
    ...{ parent_plan_id: plan, parent_phase_id: olderInbox(plan) },
    expected_output: piecesOf(wanted.join("\n"))[0],
    ...taskStatus(todo["status"]),
  })
  record.rank = nextRank(known, plan, made.created_at)
  if (record.status === "completed") record.completed_at = made.updated_at
  const note = statusNote("task", todo["status"])
  known.titles.set(wordsKey("task", text), record.id)
  const take: Taken[] = [
    ...planWithInbox(
      planRecord({
        id: plan,
        title: session === "" ? "Things to do" : `Things to do of session ${session}`,
        ...madeOf({ created: at }, at),
      }),
    ),
    { kind: "task", record },
  ]
  return { from, take, ...(note === undefined ? {} : { note }) }
}

/** True of a thing to do that is in the graph itself. */
function isTaken({ inGraph }: Known, id: string, text: string): boolean {
  const title = maskAll(lineFrom(text).line)
  return [id, olderId("other words", id, title)].some((each) => inGraph.task(each)?.title === title)
}

/** The host uses its ids again: a later list of the same session has other things under them. */
function todoId(known: Known, id: string, title: string): string {
  const before = known.inGraph.task(id)?.title
  if (before !== undefined && !known.words.has(id)) known.words.set(id, before)
  return idByWords(known, id, maskAll(title))
}
