import { inboxIdOf } from "../../graph/inbox.ts"
import { lineFrom, madeOf, objectFrom, piecesOf, textFrom, textIn, timeOf } from "../records/fields.ts"
import { jsonItems } from "../records/json-items.ts"
import { phaseRecord, planRecords, taskRecord } from "../records/new-records.ts"
import type { NewRecord, SourceRecord } from "../records/report.ts"
import {
  type Context,
  type Fields,
  type LegacyFile,
  type Level,
  legacyId,
  type Made,
  nextRank,
  phaseStatus,
  placeIn,
  planStatus,
  rememberTitle,
  statusNote,
  taskStatus,
  titleKey,
} from "./context.ts"

/** `hierarchy.json`: trajectory, tactics and actions become a plan with phases and tasks, the cursor the read-head. */
export async function* readTree(
  file: LegacyFile,
  context: Context,
): AsyncGenerator<SourceRecord, void, void> {
  const nodes = new Map<string, Parents & { content: string }>()
  let cursor: string | undefined
  // When the tree was last worked on: the time of the file is that of a checkout.
  let newest = ""
  for await (const item of jsonItems(file.path)) {
    const from = placeIn(file, item.key)
    if ("fault" in item) yield { from, quarantine: item.fault, original: item.text }
    else if (item.key === "cursor") cursor = textFrom(item.value)
    else if (item.key === "root" && item.value === null) yield { from, ignore: "the tree is empty" }
    else if (item.key === "root")
      for (const found of walk(file, context, nodes, item.value)) {
        for (const { record } of "records" in found ? found.records : [])
          if ("updated_at" in record && record.updated_at > newest) newest = record.updated_at
        yield found
      }
    else if (item.key !== "version") yield { from, ignore: "not a part of a tree" }
  }
  if (cursor === undefined) return
  const at = nodes.get(cursor)
  const from = placeIn(file, "cursor")
  if (at === undefined)
    yield { from, quarantine: "the cursor points at a node that is not there", original: cursor }
  else {
    const { plan, phase, task, content } = at
    context.heads.push({ from, at: newest, plan, phase, tasks: task === null ? [] : [task], intent: content })
  }
}

interface Parents {
  plan: string
  phase: string | null
  task: string | null
}

/** Parents before children. A node without a plan above it gets one of its own. */
function* walk(
  file: LegacyFile,
  context: Context,
  nodes: Map<string, Parents & { content: string }>,
  root: unknown,
): Generator<SourceRecord, void, void> {
  const waiting = [{ value: root, above: null as Parents | null, order: 0 }]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const node = objectFrom(next.value)
    const [id, content] = [textIn(node, "id"), textIn(node, "content", "title")]
    const from = placeIn(file, id ?? "node")
    let { above } = next
    const { children, ...own } = node ?? {}
    if (content === undefined) {
      yield { from, quarantine: "a node without words", original: node === undefined ? next.value : own }
    } else {
      const made = nodeRecords(file, context, own, content, next)
      above = made.parents
      if (id !== undefined) nodes.set(id, { ...above, content })
      yield { from, records: made.records, note: made.note }
    }
    for (const [order, value] of [...(Array.isArray(children) ? children : []).entries()].reverse())
      waiting.push({ value, above, order })
  }
}

function nodeRecords(
  file: LegacyFile,
  context: Context,
  node: Fields,
  content: string,
  { above, order }: { above: Parents | null; order: number },
): { records: NewRecord[]; parents: Parents; note: string | undefined } {
  const made = madeOf({ created: node["created"], updated: node["completed"], stamp: node["stamp"] }, file.at)
  const old = textIn(node, "id") ?? content
  const level = levelOf(node, above)
  const id = legacyId(level, old, made.stamp, content)
  const { line: title, whole } = lineFrom(content)
  const note = whole === undefined ? statusNote(level, node["status"]) : LONG_TITLE
  const summary = [whole, textIn(node, "summary")].filter((each) => each !== undefined).join("\n\n")
  const common = { id, title, summary: summary === "" ? null : piecesOf(summary)[0], ...made }
  const completed_at = node["completed"] === undefined ? null : timeOf(node["completed"], made.updated_at)
  if (level === "plan") {
    rememberTitle(context, level, content, id)
    const records = planRecords({ ...common, completed_at, status: planStatus(node["status"]) })
    return { records, parents: { plan: id, phase: null, task: null }, note }
  }
  const plan = above?.plan ?? legacyId("plan of", old, made.stamp)
  const before = above === null ? planRecords({ id: plan, title, ...made }) : []
  rememberTitle(context, level, content, id, plan)
  if (level === "phase") {
    const status = phaseStatus(node["status"])
    const phase = phaseRecord({ ...common, parent_plan_id: plan, order: order + 1, status })
    return { records: [...before, phase], parents: { plan, phase: id, task: null }, note }
  }
  const phase = above?.phase ?? inboxIdOf(plan)
  const task = taskRecord({
    ...{ id, title, ...made, parent_plan_id: plan, parent_phase_id: phase },
    parent_task_id: above?.task ?? null,
    expected_output: whole === undefined ? title : piecesOf(whole)[0],
    evidence: textIn(node, "summary") === undefined ? null : common.summary,
    ...taskStatus(node["status"]),
    rank: nextRank(context, plan, made.created_at),
    completed_at,
  })
  return { records: [...before, task], parents: { plan, phase, task: id }, note }
}

/** By its own word, else by its id, else by where it stands. */
function levelOf(node: Fields, above: Parents | null): Level {
  const said = LEVELS[textIn(node, "level") ?? ""]
  if (said !== undefined) return said
  const prefix = /^(tc|t|a)_/.exec(textIn(node, "id") ?? "")?.[1]
  if (prefix !== undefined) return LEVELS[prefix] ?? "task"
  return above === null ? "plan" : above.phase === null && above.task === null ? "phase" : "task"
}

/** Trajectory, tactic and action of `brain.json` as three lines of text: a plan, a phase and a task, unless the tree has them. */
export function* flatRecords(
  file: LegacyFile,
  hierarchy: Fields,
  { made, at, isOver }: { made: Made; at: string; isOver: boolean },
  context: Context,
): Generator<SourceRecord, void, void> {
  const texts = ["trajectory", "tactic", "action"].map((name) => textIn(hierarchy, name))
  const words = texts.find((text) => text !== undefined)
  if (words === undefined) {
    yield { from: placeIn(file, "hierarchy"), ignore: "empty" }
    return
  }
  const note = isOver ? "another state file is newer: the work in this one is not open" : undefined
  let above = null as Parents | null
  for (const [n, [level, over]] of FLAT_LEVELS.entries()) {
    const text = n === 0 ? words : texts[n]
    if (text === undefined) continue
    const from = placeIn(file, `hierarchy.${level}`)
    const parents = above
    const known = context.titles.get(titleKey(level, text, parents?.plan))
    if (known === undefined) {
      const { created_at: created, stamp } = made
      const node = {
        id: `${parents?.plan ?? ""} ${text}`,
        level,
        status: isOver ? over : "active",
        created,
        stamp,
      }
      const found = nodeRecords(file, context, node, text, { above: parents, order: 0 })
      above = found.parents
      yield { from, records: found.records, note }
    } else {
      const plan = parents?.plan ?? known
      above = {
        plan,
        phase: parents?.phase ?? null,
        task: null,
        ...(level === "plan" ? {} : { [level]: known }),
      }
      yield { from, ignore: "the tree or the graph has it too" }
    }
  }
  // The cursor of a tree says the same, and better.
  if (context.heads.length > 0 || isOver || above === null) return
  const { plan, phase, task } = above
  const tasks = task === null ? [] : [task]
  context.heads.push({ from: placeIn(file, "hierarchy"), at, plan, phase, tasks, intent: words })
}

const FLAT_LEVELS = [
  ["plan", "archived"],
  ["phase", "archived"],
  ["task", "invalidated"],
] as const
const LONG_TITLE = "a long title was shortened; its whole text is kept beside it"
const LEVELS: Readonly<Record<string, Level>> = {
  ...{ trajectory: "plan", tactic: "phase", action: "task" },
  ...{ t: "plan", tc: "phase", a: "task", plan: "plan", phase: "phase", task: "task" },
}
