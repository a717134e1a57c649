import type { NewRecordOf } from "../../schemas/records.ts"
import { derivedId } from "../../shared/ids.ts"
import { cutAt, lineFrom, listFrom, madeOf, objectFrom, piecesOf, textFrom, timeOf } from "../fields.ts"
import type { Found, Taken } from "../found.ts"
import { taskRecord } from "../make-record.ts"
import { gateIdOf, gateOf, strangeGate } from "./idumb-gate.ts"
import { dependenciesOf, type Given, idOf, isOverOne, listed } from "./idumb-given.ts"
import { inOrder } from "./in-order.ts"
import { findTask, idByWords, type Known, nextRank, olderId, wordsKey } from "./known.ts"
import type { OldFile } from "./old-file.ts"
import { statusNote, taskStatus } from "./status.ts"
import { olderInbox } from "./tree.ts"

type Fields = Record<string, unknown>

/** Tasks and subtasks of a plan, with their checkpoints and files. What others depend on comes first. */
export function* taskFounds(
  from: string,
  tasks: readonly unknown[],
  { plan, parent }: { plan: string; parent: string | null },
  file: OldFile,
  known: Known,
): Generator<Found, void, void> {
  const given = tasks.map((value, n) => ({
    from: `${from}.${parent === null ? "tasks" : "subtasks"}[${n}]`,
    value,
  }))
  const before = (one: Given) => [...dependenciesOf(one), ...gateIdOf(one.value)]
  for (const each of inOrder(given, idOf, before, isOverOne)) {
    const task = objectFrom(each.value)
    const words = textFrom(task?.["name"]) ?? textFrom(task?.["title"]) ?? textFrom(each.value)
    if (words === undefined) {
      yield { from: each.from, quarantine: "a task without a name", original: each.value }
      continue
    }
    const fields = task ?? {}
    const old = textFrom(fields["id"]) ?? `${from} ${words}`
    const record = taskOf(
      idByWords(known, olderId("task", old), words),
      fields,
      words,
      { plan, parent, after: each.after },
      file,
      known,
    )
    const isActive = record.status === "active"
    known.tasks.set(old, { id: record.id, plan, phase: record.parent_phase_id, isActive })
    known.titles.set(wordsKey("task", words), record.id)
    const isLoose =
      record.depends_on.length < new Set(dependenciesOf(each)).size ||
      (gateIdOf(each.value).length > 0 && record.temporal_gate === null)
    const told = isLoose
      ? "a dependency that is not there, or runs in a circle, was left out"
      : strangeGate(fields) === undefined
        ? statusNote("task", fields["status"])
        : "a gate that is not understood; a task that is not begun is held back because of it"
    const note = told === undefined ? {} : { note: told }
    yield { from: each.from, take: [{ kind: "task", record }, ...artifactsOf(fields, record)], ...note }
    for (const [n, checkpoint] of listed(fields["checkpoints"]).entries())
      yield checkpointFound(`${each.from}.checkpoints[${n}]`, checkpoint, record, file, known)
    yield* taskFounds(each.from, listed(fields["subtasks"]), { plan, parent: record.id }, file, known)
  }
}

function taskOf(
  id: string,
  task: Fields,
  words: string,
  { plan, parent, after }: { plan: string; parent: string | null; after: readonly string[] },
  file: OldFile,
  known: Known,
): NewRecordOf<"task"> {
  const { line: title, whole } = lineFrom(words)
  const who = (name: string) => {
    const text = textFrom(task[name])
    return text === undefined ? null : cutAt(text, 500)
  }
  const tools = listFrom(task["allowedTools"], 500)
  const made = madeOf({ created: task["createdAt"], updated: task["modifiedAt"] }, file.at)
  const status = taskStatus(task["status"])
  const gate = strangeGate(task)
  const evidence = textFrom(task["evidence"]) ?? textFrom(task["result"])
  return taskRecord({
    ...{
      id,
      title,
      parent_plan_id: plan,
      parent_phase_id: olderInbox(plan),
      parent_task_id: parent,
      ...made,
    },
    expected_output: piecesOf(
      [textFrom(task["expectedOutput"]), whole].filter((each) => each !== undefined).join("\n\n") || title,
    )[0],
    ...status,
    ...(gate !== undefined && status.status === "planned"
      ? { held_back: cutAt(`It had a gate that is not understood: ${gate}`, MAX_HELD_BACK) }
      : {}),
    rank: nextRank(known, plan, made.created_at),
    depends_on: listFrom(task["dependsOn"])
      .filter((each) => after.includes(each))
      .flatMap((each) => findTask(known, each)?.id ?? []),
    temporal_gate: gateOf(task, after, known),
    delegated_by: who("delegatedBy"),
    assigned_to: who("assignedTo") ?? who("assignee"),
    // An empty list meant no limit.
    allowed_tools: tools.length > 0 ? tools : null,
    evidence: evidence === undefined ? null : piecesOf(evidence)[0],
    completed_at: status.status === "completed" ? timeOf(task["completedAt"], made.updated_at) : null,
  })
}

function artifactsOf(task: Fields, { id, created_at, updated_at, stamp }: NewRecordOf<"task">): Taken[] {
  const paths = listed(task["artifacts"]).flatMap(
    (each) => textFrom(each) ?? textFrom(objectFrom(each)?.["path"]) ?? [],
  )
  return [...new Set(paths)].map((path) => ({
    kind: "artifact",
    record: {
      ...{ id: derivedId("file", path), path: cutAt(path, 4096), task_id: id, plan_id: null, hash: null },
      ...{ sections: [], status: "current", superseded_by: null, created_at, updated_at, stamp },
    },
  }))
}

function checkpointFound(
  from: string,
  value: unknown,
  task: NewRecordOf<"task">,
  file: OldFile,
  known: Known,
): Found {
  const given = objectFrom(value)
  const summary = textFrom(given?.["summary"])
  if (given === undefined || summary === undefined)
    return { from, quarantine: "a checkpoint without words", original: value }
  const made = madeOf({ created: given["timestamp"] }, file.at)
  const { line, whole } = lineFrom(summary)
  const old = textFrom(given["id"]) ?? `${task.id} ${made.created_at} ${summary}`
  const record: NewRecordOf<"checkpoint"> = {
    id: idByWords(known, olderId("checkpoint", old), summary),
    task_id: task.id,
    session_id: null,
    tool: cutAt(textFrom(given["tool"]) ?? "unknown", 500),
    summary: line,
    files: listFrom(given["filesModified"], 4096),
    removed: [],
    command: whole === undefined ? null : piecesOf(whole)[0],
    did: [],
    run: null,
    ok: true,
    ...made,
  }
  return { from, take: [{ kind: "checkpoint", record }] }
}

const MAX_HELD_BACK = 10_000
