import { inboxOf } from "../../graph/inbox.ts"
import type { NewRecordOf } from "../../schemas/records.ts"
import { salvage } from "../../store/snapshot/salvage.ts"
import { lineFrom, madeOf, objectFrom, piecesOf, textFrom, timeOf } from "../fields.ts"
import type { Found, Taken } from "../found.ts"
import { closedAtCut, jsonItems } from "../json-stream.ts"
import { phaseRecord, planRecord, taskRecord } from "../make-record.ts"
import { idByWords, type Known, nextRank, olderId, wordsKey } from "./known.ts"
import { type OldFile, placeIn } from "./old-file.ts"
import { phaseStatus, planStatus, statusNote, taskStatus } from "./status.ts"

/** `hierarchy.json`: a tree of trajectory, tactics and actions becomes a plan with phases and tasks; the cursor a read-head. */
export async function* readTree(file: OldFile, known: Known): AsyncGenerator<Found, void, void> {
  const nodes = new Map<string, Above & { id: string; content: string }>()
  let cursor: string | undefined
  // When it was last worked on: the file's own time is that of a checkout.
  let newest = ""
  for await (const item of jsonItems(file.path, closedAtCut)) {
    if ("fault" in item) {
      yield* readDamaged(file, known, nodes, item)
      continue
    }
    if (item.key === "cursor") cursor = textFrom(item.value)
    else if (item.key === "root") {
      if (item.value === null) yield { from: placeIn(file, "root"), ignore: "the tree is empty" }
      else
        for (const found of walk(file, known, nodes, item.value)) {
          newest = newestOf(found, newest)
          yield found
        }
    } else if (item.key !== "version") yield { from: placeIn(file, item.key), ignore: "not a part of a tree" }
  }
  if (cursor === undefined) return
  const at = nodes.get(cursor)
  const from = placeIn(file, "cursor")
  if (at === undefined) {
    yield { from, quarantine: "the cursor points at a node that is not there", original: cursor }
    return
  }
  known.heads.push({
    from,
    at: newest,
    plan: at.plan,
    phase: at.phase,
    tasks: at.task === null ? [] : [at.task],
    intent: at.content,
  })
}

function newestOf(found: Found, before: string): string {
  const times =
    "take" in found ? found.take.map(({ record }) => ("updated_at" in record ? record.updated_at : "")) : []
  return [before, ...times].sort().at(-1) ?? before
}

interface Above {
  plan: string
  phase: string | null
  task: string | null
}

type Nodes = Map<string, Above & { id: string; content: string }>

/** Whole nodes in what is left of a damaged tree. */
function* readDamaged(
  file: OldFile,
  known: Known,
  nodes: Nodes,
  { key, fault, text }: { key: string; fault: string; text: string },
): Generator<Found, void, void> {
  for (const node of salvage(text).objects) yield* walk(file, known, nodes, node)
  yield { from: placeIn(file, key), quarantine: fault, original: text }
}

/** Parents before children. A node that has lost its parents goes under a plan of its own. */
function* walk(file: OldFile, known: Known, nodes: Nodes, root: unknown): Generator<Found, void, void> {
  const waiting: { value: unknown; above: Above | null; order: number }[] = [
    { value: root, above: null, order: 0 },
  ]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const node = objectFrom(next.value)
    const id = textFrom(node?.["id"])
    const content = textFrom(node?.["content"]) ?? textFrom(node?.["title"])
    const from = placeIn(file, id ?? "node")
    let above = next.above
    if (node === undefined || content === undefined) {
      yield { from, quarantine: "a node without words", original: withoutChildren(next.value) }
    } else {
      const made = makeNode(file, known, node, content, next)
      above = made.above
      const level = above.task !== null ? "task" : above.phase !== null ? "phase" : "plan"
      const own = above.task ?? above.phase ?? above.plan
      if (id !== undefined) nodes.set(id, { ...above, id: own, content })
      known.titles.set(wordsKey(level, content), own)
      known.titles.set(wordsKey(level, content, above.plan), own)
      yield { from, take: made.take, ...(made.note === undefined ? {} : { note: made.note }) }
    }
    const children = Array.isArray(node?.["children"]) ? node["children"] : []
    for (const [order, value] of [...children.entries()].reverse()) waiting.push({ value, above, order })
  }
}

function makeNode(
  file: OldFile,
  known: Known,
  node: Record<string, unknown>,
  content: string,
  { above, order }: { above: Above | null; order: number },
): { take: Taken[]; above: Above; note?: string } {
  const made = madeOf({ created: node["created"], updated: node["completed"], stamp: node["stamp"] }, file.at)
  const id = textFrom(node["id"]) ?? content
  const level = levelOf(node, above)
  const own = idByWords(known, olderId(level, id, made.stamp), content)
  const { line: title, whole } = lineFrom(content)
  const unclear = statusNote(level === "plan" ? "plan" : "task", node["status"])
  const told = whole === undefined ? unclear : "a long title was shortened; its whole text is kept beside it"
  const note = told === undefined ? {} : { note: told }
  const words = [whole, textFrom(node["summary"])].filter((each) => each !== undefined).join("\n\n")
  const summary = words === "" ? null : piecesOf(words)[0]
  const completed_at = node["completed"] === undefined ? null : timeOf(node["completed"], made.updated_at)
  if (level === "plan") {
    const plan = planRecord({
      ...{ id: own, title, summary, completed_at, ...made },
      status: planStatus(node["status"]),
    })
    return { take: planWithInbox(plan), above: { plan: plan.id, phase: null, task: null }, ...note }
  }
  const start = above === null ? planOfNode(title, id, made) : undefined
  const parent = above ?? { plan: start?.plan.id ?? "", phase: null, task: null }
  const before = start?.take ?? []
  if (level === "phase") {
    const phase = phaseRecord({
      ...{ id: own, parent_plan_id: parent.plan, title, summary, ...made },
      ...{ order: order + 1, status: phaseStatus(node["status"]) },
    })
    const take = [...before, { kind: "phase" as const, record: phase }]
    return { take, above: { plan: parent.plan, phase: phase.id, task: null }, ...note }
  }
  const phase = parent.phase ?? olderInbox(parent.plan)
  const task = taskRecord({
    ...{ id: own, title, ...made },
    ...{ parent_plan_id: parent.plan, parent_phase_id: phase, parent_task_id: parent.task },
    expected_output: whole === undefined ? title : piecesOf(whole)[0],
    evidence: textFrom(node["summary"]) === undefined ? null : summary,
    ...taskStatus(node["status"]),
    rank: nextRank(known, parent.plan, made.created_at),
    completed_at,
  })
  const take = [...before, { kind: "task" as const, record: task }]
  return { take, above: { plan: parent.plan, phase, task: task.id }, ...note }
}

/** By its own word, else by its id, else by where it stands. */
function levelOf(node: Record<string, unknown>, above: Above | null): "plan" | "phase" | "task" {
  const word = textFrom(node["level"])
  if (word !== undefined && word in LEVELS) return LEVELS[word] ?? "task"
  const prefix = /^(tc|t|a)_/.exec(textFrom(node["id"]) ?? "")?.[1]
  if (prefix !== undefined) return PREFIXES[prefix] ?? "task"
  return above === null ? "plan" : above.phase === null && above.task === null ? "phase" : "task"
}

/** A plan for what stands alone. */
function planOfNode(
  title: string,
  id: string,
  made: Pick<NewRecordOf<"plan">, "created_at" | "updated_at" | "stamp">,
): { plan: NewRecordOf<"plan">; take: Taken[] } {
  const plan = planRecord({ id: olderId("plan of", id, made.stamp), title, ...made })
  return { plan, take: planWithInbox(plan) }
}

/** Every plan has an inbox, for tasks without a phase. */
export function planWithInbox(plan: NewRecordOf<"plan">): Taken[] {
  // Only its id, times and stamp are asked for.
  const inbox = inboxOf(plan as Parameters<typeof inboxOf>[0])
  return [
    { kind: "plan", record: plan },
    { kind: "phase", record: inbox },
  ]
}

export function olderInbox(plan: string): string {
  return inboxOf({ id: plan } as Parameters<typeof inboxOf>[0]).id
}

function withoutChildren(value: unknown): unknown {
  const node = objectFrom(value)
  if (node === undefined) return value
  const { children: _, ...rest } = node
  return rest
}

const LEVELS: Readonly<Record<string, "plan" | "phase" | "task">> = {
  trajectory: "plan",
  tactic: "phase",
  action: "task",
}
const PREFIXES: typeof LEVELS = { t: "plan", tc: "phase", a: "task" }
