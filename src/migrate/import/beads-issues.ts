import { inboxIdOf } from "../../graph/inbox.ts"
import { derivedId } from "../../shared/ids.ts"
import { circularParents } from "../records/dependency-order.ts"
import { objectFrom, textIn } from "../records/fields.ts"
import type { JsonLine } from "./json-lines.ts"
import { minuteOf, type WorkState } from "./work-items.ts"

export interface Issue extends JsonLine {
  name: string
  id: string
  type: string
  status: string
  /** Undefined where the status is not known. */
  state: WorkState | undefined
  parent: string | null
  /** No link names its parent, but its id does: `bd-a1.3`. */
  isPartById: boolean
  links: { type: string; to: string }[]
  /** In ms; 0 where it is not known. */
  updated: number
}

export type Role = "plan" | "phase" | "task" | "mem"

/** The issues that an issue waits for, and in words those that no link can express. */
export interface Waits {
  tasks: string[]
  decisions: Issue[]
  words: { name: string; why: string }[]
}

export function issueOf(line: JsonLine): Issue | undefined {
  const { fields } = line
  const name = textIn(fields, "id")
  if (name === undefined) return undefined
  const list = Array.isArray(fields["dependencies"]) ? fields["dependencies"] : []
  const links = list.flatMap((each) => {
    const link = objectFrom(each)
    const to = textIn(link, "depends_on_id")
    return to === undefined ? [] : { type: textIn(link, "type") ?? "blocks", to }
  })
  const status = textIn(fields, "status")?.toLowerCase() ?? "open"
  // A status of the user's own is over where it says when.
  const isOver = !STATES.has(status) && textIn(fields, "closed_at") !== undefined
  return {
    ...{ ...line, name, status, links, isPartById: false },
    // Two projects may have the same names, but hardly of the same minute.
    id: derivedId("beads", name, minuteOf(fields["created_at"])),
    type: textIn(fields, "issue_type")?.toLowerCase() ?? "task",
    state: isOver ? "done" : STATES.get(status),
    parent: links.find(({ type }) => type === "parent-child")?.to ?? textIn(fields, "parent") ?? null,
    updated: Date.parse(textIn(fields, "updated_at") ?? "") || 0,
  }
}

/**
 * Decides the role and the place of each issue. An epic is a plan, an epic below another a phase of its plan. An issue of an
 * epic is a task there, and an issue of a task its sub-task. A decision is a mem that tasks can wait for.
 */
export function arrangeIssues(issues: ReadonlyMap<string, Issue>) {
  for (const issue of issues.values()) {
    const above = issue.name.replace(/\.\d+$/, "")
    if (issue.parent !== null || above === issue.name || !issues.has(above)) continue
    issue.parent = above
    issue.isPartById = true
  }
  for (const name of circularParents(issues)) (issues.get(name) as Issue).parent = null
  const roles = new Map<Issue, Role>()
  const above = (issue: Issue) => issues.get(issue.parent ?? "")
  const roleOf = (issue: Issue): Role => roles.get(issue) ?? "task"
  for (const issue of issues.values()) {
    const way: Issue[] = []
    for (let at: Issue | undefined = issue; at !== undefined && !roles.has(at); at = above(at)) way.push(at)
    for (const each of way.reverse()) {
      const parent = above(each)
      roles.set(each, ownRole(each, parent && roleOf(parent)))
    }
  }
  /** Nothing is below a mem. */
  const parentOf = (issue: Issue): Issue | undefined => {
    const parent = above(issue)
    return parent !== undefined && roleOf(parent) === "mem" ? undefined : parent
  }
  const parentsOf = (issue: Issue): Issue[] => {
    const parents: Issue[] = []
    for (let at = parentOf(issue); at !== undefined; at = parentOf(at)) parents.push(at)
    return parents
  }
  const withOpenWork = new Set<Issue>()
  for (const issue of issues.values())
    if (issue.state !== "done" && roleOf(issue) !== "mem")
      for (const each of parentsOf(issue)) withOpenWork.add(each)

  /** Tasks wait for tasks and decisions. All else stays in words. */
  function waitsOf(issue: Issue): Waits {
    const waits: Waits = { tasks: [], decisions: [], words: [] }
    for (const name of new Set(issue.links.filter(({ type }) => WAITS.has(type)).map(({ to }) => to))) {
      const other = issues.get(name)
      if (other === undefined) waits.words.push({ name, why: "not imported" })
      else if (roleOf(issue) === "task" && roleOf(other) === "task") waits.tasks.push(name)
      else if (roleOf(issue) === "task" && other.type === "decision") waits.decisions.push(other)
      else waits.words.push({ name, why: `a ${roleOf(issue)} cannot wait for a ${roleOf(other)}` })
    }
    return waits
  }

  const is = (...wanted: Role[]) => [...issues.values()].filter((issue) => wanted.includes(roleOf(issue)))
  const inProgress = is("task").filter(({ state }) => state === "active")
  return {
    /** Plans and phases, each behind its parent. */
    epics: is("plan", "phase").sort((a, b) => parentsOf(a).length - parentsOf(b).length),
    mems: is("mem"),
    tasks: is("task"),
    roleOf,
    parentOf,
    waitsOf,
    isDone: (epic: Issue) => epic.state === "done" && !withOpenWork.has(epic),
    /** The issue that was worked on last. */
    current: inProgress.sort((a, b) => b.updated - a.updated)[0],
    /** The ids of the plan and the phase that an issue belongs to. */
    placeOf(issue: Issue): { plan: string; phase: string } {
      const parents = [issue, ...parentsOf(issue)]
      const plan = parents.find((each) => roleOf(each) === "plan")?.id ?? LOOSE_PLAN
      return { plan, phase: parents.find((each) => roleOf(each) === "phase")?.id ?? inboxIdOf(plan) }
    },
  }
}

export type Arranged = ReturnType<typeof arrangeIssues>

function ownRole({ type, status }: Issue, above: Role | undefined): Role {
  if (type === "decision" || status === "pinned") return "mem"
  if (type !== "epic" && type !== "molecule") return "task"
  if (above === undefined || above === "mem") return "plan"
  return above === "task" ? "task" : "phase"
}

export const LOOSE_PLAN = derivedId("beads", "without an epic")
export const WAITS: ReadonlySet<string> = new Set(["blocks", "blocked-by", "waits-for"])
export const STATES: ReadonlyMap<string, WorkState> = new Map(
  Object.entries({
    ...{ open: "planned", pinned: "planned", in_progress: "active", hooked: "active" },
    ...{ blocked: "blocked", deferred: "deferred", closed: "done" },
  }),
)
