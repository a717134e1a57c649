import { inboxIdOf } from "../../graph/inbox.ts"
import { derivedId } from "../../shared/ids.ts"
import type { BeadsLinks, Issue, Role, Waits } from "./beads-issue.ts"
import { circularParents, type Node, orderWork } from "./order.ts"

/**
 * Where each issue goes. An epic is a plan, one below another epic a phase of its plan; what belongs to an epic is a task
 * there, and what belongs to a task its sub-task. A decision is a mem that tasks wait for.
 */
export function layOut(all: ReadonlyMap<string, Issue>): BeadsLinks {
  const taken = new Map([...all].filter(([, { ignored }]) => ignored === undefined))
  for (const issue of taken.values()) {
    const above = issue.name.replace(/\.\d+$/, "")
    if (issue.parent !== null || above === issue.name || !taken.has(above)) continue
    issue.parent = above
    issue.isPartById = true
  }
  const alone = circularParents(taken)
  const roles = new Map<Issue, Role>()
  const parentOf = (issue: Issue) => (alone.has(issue.name) ? undefined : taken.get(issue.parent ?? ""))

  const roleOf = (issue: Issue): Role => {
    const known = roles.get(issue)
    if (known !== undefined) return known
    const parent = parentOf(issue)
    const above = parent === undefined ? undefined : roleOf(parent)
    const role = ownRole(issue, above)
    roles.set(issue, role)
    return role
  }
  // From the top down, however deep an issue is.
  for (const issue of taken.values()) {
    const way: Issue[] = []
    for (let at: Issue | undefined = issue; at !== undefined && !roles.has(at); at = parentOf(at))
      way.push(at)
    for (const each of way.reverse()) roleOf(each)
  }

  /** The nearest above that can hold it: nothing is below a mem. */
  const holderOf = (issue: Issue): Issue | undefined => {
    const parent = parentOf(issue)
    return parent !== undefined && roleOf(parent) === "mem" ? undefined : parent
  }
  const children = new Map<Issue, Issue[]>()
  for (const issue of taken.values()) {
    const holder = holderOf(issue)
    if (holder === undefined) continue
    const beside = children.get(holder)
    if (beside === undefined) children.set(holder, [issue])
    else beside.push(issue)
  }
  const waits = new Map([...taken.values()].map((issue) => [issue, waitsOf(issue)]))
  const nodes = new Map<string, Node>()
  for (const [issue, { tasks, decisions, plans }] of waits) {
    const waitsFor = [...tasks, ...decisions, ...plans].map(({ name }) => name)
    nodes.set(issue.name, { parent: holderOf(issue)?.name ?? null, waitsFor })
  }
  const { order, notWaitedFor } = orderWork(nodes)
  for (const [name, others] of notWaitedFor) {
    const issue = taken.get(name)
    const found = issue && waits.get(issue)
    if (issue === undefined || found === undefined) continue
    leaveOut(found, others)
    for (const other of [...others].flatMap((each) => taken.get(each) ?? []))
      found.words.push({
        name: other.name,
        why: isBelow(other, issue, holderOf) ? "that is a part of it" : CIRCLE,
      })
  }

  const open = new Set<Issue>()
  for (const issue of taken.values())
    if (!issue.isClosed && roleOf(issue) !== "mem")
      for (let at: Issue | undefined = holderOf(issue); at !== undefined && !open.has(at); at = holderOf(at))
        open.add(at)

  function waitsOf(issue: Issue): Waits {
    const found: Waits = { tasks: [], decisions: [], plans: [], words: [] }
    const role = roleOf(issue)
    for (const name of issue.waitsFor) {
      const other = taken.get(name)
      const put = (why: string) => found.words.push({ name, why })
      if (other === undefined) put(all.has(name) ? "not taken over" : "not in the file")
      else if (role === "mem") put("a mem waits for nothing")
      else if (role === "plan" && roleOf(other) === "plan") found.plans.push(other)
      else if (role !== "task") put("a plan or phase waits for plans only")
      else if (roleOf(other) === "task") found.tasks.push(other)
      else if (roleOf(other) === "mem")
        other.type === "decision" ? found.decisions.push(other) : put("no work")
      else standIn(issue, other, found, put)
    }
    return found
  }

  /** A task cannot wait for a plan or a phase: it waits for the tasks in it. */
  function standIn(issue: Issue, epic: Issue, found: Waits, put: (why: string) => void): void {
    const tasks = (children.get(epic) ?? []).filter((each) => roleOf(each) === "task" && each !== issue)
    const isInside = isBelow(issue, epic, holderOf)
    if (isInside) put("it is a part of that")
    else if (tasks.length === 0) put("no task is in that")
    else if (tasks.length > MAX_STAND_INS) put(`${tasks.length} tasks are in that`)
    else found.tasks.push(...tasks.filter((each) => !found.tasks.includes(each)))
  }

  const loose = { plan: LOOSE_PLAN, phase: inboxIdOf(LOOSE_PLAN) }
  const placeOf = (issue: Issue): { plan: string; phase: string } => {
    for (let at: Issue | undefined = issue, phase: string | undefined; at !== undefined; at = holderOf(at)) {
      const role = roleOf(at)
      if (role === "phase") phase ??= at.id
      if (role === "plan") return { plan: at.id, phase: phase ?? inboxIdOf(at.id) }
    }
    return loose
  }
  const underWay = [...taken.values()].filter(
    (issue) => UNDER_WAY.has(issue.status) && roleOf(issue) === "task",
  )
  const current = underWay.sort((a, b) => b.updated - a.updated)[0]
  const phases = new Map(
    [...taken.values()].filter((issue) => roleOf(issue) === "phase").map((issue, at) => [issue, at + 1]),
  )

  return {
    order: order.flatMap((name) => taken.get(name) ?? []),
    find: (name) => all.get(name),
    roleOf,
    placeOf,
    parentOf: (issue) => holderOf(issue),
    waitsOf: (issue) => waits.get(issue) ?? { tasks: [], decisions: [], plans: [], words: [] },
    hasOpenWork: (issue) => open.has(issue),
    current,
    loose,
    orderOf: (issue) => phases.get(issue) ?? 0,
  }
}

function ownRole({ type, status }: Issue, above: Role | undefined): Role {
  if (type === "decision" || status === "pinned") return "mem"
  if (!EPICS.has(type)) return "task"
  if (above === undefined || above === "mem") return "plan"
  return above === "task" ? "task" : "phase"
}

function isBelow(issue: Issue, epic: Issue, holderOf: (issue: Issue) => Issue | undefined): boolean {
  for (let at = holderOf(issue); at !== undefined; at = holderOf(at)) if (at === epic) return true
  return false
}

/** The links that closed a circle stay in words. */
function leaveOut(found: Waits, others: ReadonlySet<string>): void {
  const isKept = (other: Issue) => !others.has(other.name)
  found.tasks = found.tasks.filter(isKept)
  found.decisions = found.decisions.filter(isKept)
  found.plans = found.plans.filter(isKept)
}

/** The plan of what belongs to no epic. */
const LOOSE_PLAN = derivedId("beads", "without an epic")
const EPICS: ReadonlySet<string> = new Set(["epic", "molecule"])
export const UNDER_WAY: ReadonlySet<string> = new Set(["in_progress", "hooked"])
export const CIRCLE = "they waited for each other in a circle"
const MAX_STAND_INS = 100
