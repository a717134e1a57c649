import { inboxIdOf } from "../../graph/inbox.ts"
import {
  type Fields,
  lineFrom,
  type Made,
  madeOf,
  objectFrom,
  piecesOf,
  textFrom,
  textIn,
  timeOf,
} from "../records/fields.ts"
import { jsonItems, placeIn } from "../records/json-items.ts"
import { phaseRecord, planRecords, taskRecord } from "../records/new-records.ts"
import type { NewRecord, SourceRecord } from "../records/report.ts"
import {
  type Context,
  type LegacyFile,
  type LegacyReader,
  type Level,
  legacyId,
  nextRank,
  readStatus,
  rememberTitle,
  titleKey,
} from "./context.ts"

/** Reads `hierarchy.json`: trajectories become plans, tactics phases, actions tasks, and the cursor a read-head. */
export const readTree: LegacyReader = async function* (file, context) {
  const nodes: Nodes = new Map()
  let cursor: string | undefined
  // The time of the newest node, because the file's own time may be that of a git checkout.
  let newest = ""
  for await (const item of jsonItems(file)) {
    const { from } = item
    if ("quarantine" in item) yield item
    else if (item.key === "cursor") cursor = textFrom(item.value)
    else if (item.key === "root" && item.value === null) yield { from, ignore: "the tree is empty" }
    else if (item.key === "root")
      for (const found of walk(file, context, nodes, item.value)) {
        for (const { record } of "records" in found ? found.records : [])
          if ("updated_at" in record && record.updated_at > newest) newest = record.updated_at
        yield found
      }
    else if (item.key !== "version") yield { from, ignore: "a field that HiveMind does not need" }
  }
  if (cursor === undefined) return
  const at = nodes.get(cursor)
  const from = placeIn(file, "cursor")
  if (at === undefined)
    yield { from, quarantine: "the cursor points at a node that does not exist", original: cursor }
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

type Nodes = Map<string, Parents & { content: string }>

/** Walks the tree, parents before children. A phase or task without a plan above it gets a plan of its own. */
function* walk(file: LegacyFile, context: Context, nodes: Nodes, root: unknown): Generator<SourceRecord> {
  const waiting = [{ value: root, above: null as Parents | null, order: 0 }]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const node = objectFrom(next.value)
    const [id, content] = [textIn(node, "id"), textIn(node, "content", "title")]
    const from = placeIn(file, id ?? "node")
    let { above } = next
    const { children, ...own } = node ?? {}
    if (content === undefined) {
      yield { from, quarantine: "a node without text", original: node === undefined ? next.value : own }
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
  const word = node["status"]
  const note = whole === undefined ? readStatus(level, word).note : LONG_TITLE
  const texts = [whole, textIn(node, "summary")].filter((each) => each !== undefined)
  const summary = texts.length === 0 ? null : piecesOf(texts.join("\n\n"))[0]
  const common = { id, title, summary, ...made }
  const completed_at = node["completed"] === undefined ? null : timeOf(node["completed"], made.updated_at)
  if (level === "plan") {
    rememberTitle(context, level, content, id)
    const records = planRecords({ ...common, completed_at, status: readStatus("plan", word).status })
    return { records, parents: { plan: id, phase: null, task: null }, note }
  }
  const plan = above?.plan ?? legacyId("plan of", old, made.stamp)
  const before = above === null ? planRecords({ id: plan, title, ...made }) : []
  rememberTitle(context, level, content, id, plan)
  if (level === "phase") {
    const { status } = readStatus("phase", word)
    const phase = phaseRecord({ ...common, parent_plan_id: plan, order: order + 1, status })
    return { records: [...before, phase], parents: { plan, phase: id, task: null }, note }
  }
  const phase = above?.phase ?? inboxIdOf(plan)
  const { status, held_back } = readStatus("task", word)
  const task = taskRecord({
    ...{ id, title, ...made, status, held_back, parent_plan_id: plan, parent_phase_id: phase },
    parent_task_id: above?.task ?? null,
    expected_output: whole === undefined ? title : piecesOf(whole)[0],
    evidence: textIn(node, "summary") === undefined ? null : summary,
    rank: nextRank(context, plan, made.created_at),
    completed_at,
  })
  return { records: [...before, task], parents: { plan, phase, task: id }, note }
}

/** The level of a node: its field `level`, or else the prefix of its id, or else its depth. */
function levelOf(node: Fields, above: Parents | null): Level {
  const said = LEVELS[textIn(node, "level") ?? ""]
  if (said !== undefined) return said
  const prefix = /^(tc|t|a)_/.exec(textIn(node, "id") ?? "")?.[1]
  if (prefix !== undefined) return LEVELS[prefix] ?? "task"
  return above === null ? "plan" : above.phase === null && above.task === null ? "phase" : "task"
}

/** Makes records of the titles in `brain.json`: trajectory, tactic and action. Titles that the tree already has are skipped. */
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
      const id = `${parents?.plan ?? ""} ${text}`
      const status = isOver ? over : "active"
      const node = { id, level, status, created: made.created_at, stamp: made.stamp }
      const found = nodeRecords(file, context, node, text, { above: parents, order: 0 })
      above = found.parents
      yield { from, records: found.records, note }
    } else {
      const place = { plan: known, phase: null, task: null, ...parents }
      above = level === "plan" ? place : { ...place, [level]: known }
      yield { from, ignore: "a title that another file has already" }
    }
  }
  // A cursor in the tree is more exact than these titles, and its read-head has been found already.
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
const LONG_TITLE = "a long title was shortened; the whole text is kept in the record"
const LEVELS: Readonly<Record<string, Level>> = {
  ...{ trajectory: "plan", tactic: "phase", action: "task" },
  ...{ t: "plan", tc: "phase", a: "task", plan: "plan", phase: "phase", task: "task" },
}
