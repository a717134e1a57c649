import type { Task } from "../../schemas/task.ts"
import { objectFrom, textFrom } from "../fields.ts"
import type { Found } from "../found.ts"
import { freeNames, type Node } from "./order.ts"
import { knownTime, rankBy } from "./work-item.ts"

type Fields = Record<string, unknown>

/** A task or subtask as the file has it. */
export interface Entry extends Node {
  fields: Fields
  /** Another one has its number. */
  isSecond: boolean
  status: string | undefined
}

/** Tasks and their subtasks by number: `2`, `2.1`. */
export function entriesOf(
  tasks: readonly unknown[],
  place: string,
): { entries: Map<string, Entry>; faults: Found[] } {
  const entries = new Map<string, Entry>()
  const faults: Found[] = []
  const free = freeNames()
  const listed = (values: readonly unknown[], parent: string | null) => {
    const siblings = new Set(values.flatMap((each) => textFrom(objectFrom(each)?.["id"]) ?? []))
    return values.map((value, index) => ({ value, parent, siblings, number: index + 1 })).reverse()
  }
  const open = listed(tasks, null)
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, parent, siblings, number } = next
    const fields = objectFrom(value)
    const id = textFrom(fields?.["id"])
    const above = parent === null ? "" : `${parent}.`
    const given = id === undefined || id.startsWith(above) ? id : `${above}${id}`
    const key = given === undefined ? undefined : free(given)
    const from = `${place} ${key ?? `${above}#${number}`})`
    if (fields === undefined) faults.push({ from, quarantine: "not an object", original: value ?? null })
    else if (key === undefined) faults.push({ from, quarantine: "a task without an id", original: fields })
    else {
      const status = textFrom(fields["status"])?.toLowerCase()
      entries.set(key, {
        fields,
        status,
        parent,
        isSecond: key !== given,
        waitsFor: waitsOf(fields, parent, siblings),
      })
      open.push(...listed(Array.isArray(fields["subtasks"]) ? fields["subtasks"] : [], key))
    }
  }
  return { entries, faults }
}

/** In a subtask, a number without a dot is that of a sibling, where there is one. */
function waitsOf(fields: Fields, parent: string | null, siblings: ReadonlySet<string>): string[] {
  const given = Array.isArray(fields["dependencies"]) ? fields["dependencies"] : []
  const names = given.flatMap((each) => textFrom(each) ?? [])
  return [
    ...new Set(names.map((name) => (parent !== null && siblings.has(name) ? `${parent}.${name}` : name))),
  ]
}

export function textOf(
  { fields }: Entry,
  key: string,
  tag: string,
  left: readonly string[],
  missing: readonly string[],
): (string | undefined)[] {
  const named = (name: string, field: string) => {
    const value = fields[field]
    const text = Array.isArray(value) ? value.map((each) => `- ${String(each)}`).join("\n") : textFrom(value)
    return text === undefined || text === "" ? undefined : `${name}:\n${text}`
  }
  const say = (words: string, field: string) => {
    const value = textFrom(fields[field])
    return value === undefined ? [] : [`${words} ${value}`]
  }
  const others = Object.entries(fields).filter(([name, value]) => !KNOWN_FIELDS.has(name) && !isEmpty(value))
  const facts = [
    `Task ${key} of the tag ${tag} in task-master`,
    ...say("priority", "priority"),
    ...say("assigned to", "assignee"),
  ]
  return [
    textFrom(fields["description"]),
    named("Details", "details"),
    // Words, not a command: what stands in a task's `verify` is run.
    named("How it is tested", "testStrategy"),
    named("Acceptance criteria", "acceptanceCriteria"),
    [
      `${[...facts, ...say("complexity", "complexity")].join("; ")}.`,
      ...left.map(
        (other) => `waits for task ${other} (in words only: they waited for each other in a circle)`,
      ),
      ...missing.map((other) => `waits for task ${other} (in words only: there is no such task)`),
      ...(others.length === 0 ? [] : [`Also: ${JSON.stringify(Object.fromEntries(others))}`]),
    ].join("\n"),
  ]
}

function isEmpty(value: unknown): boolean {
  return value === null || value === "" || (Array.isArray(value) && value.length === 0)
}

type Standing = Partial<Pick<Task, "status" | "held_back" | "reason" | "started_at" | "completed_at">>

export function standing({ fields, status }: Entry, isWaiting: boolean, changed: string | null): Standing {
  // Not when it was made: nobody knows when it began or ended.
  const at = knownTime(fields["updatedAt"]) ?? changed
  if (DONE.has(status ?? "")) return { status: "completed", completed_at: at }
  if (status === "cancelled") return { status: "invalidated", reason: "Cancelled in task-master." }
  if (status === "in-progress") return { status: "active", started_at: at }
  if (status === "review") return { status: "review", started_at: at }
  if (status === "deferred") return { status: "blocked", held_back: "Deferred in task-master." }
  if (status === "blocked" && !isWaiting) return { status: "blocked", held_back: "Blocked in task-master." }
  return { status: isWaiting ? "blocked" : "planned" }
}

/** By importance, then as they stand in the file: they have no time of their own. */
export function rankOf(fields: Fields, { created, index }: { created: string; index: number }): number {
  const steps = PRIORITIES[textFrom(fields["priority"])?.toLowerCase() ?? ""] ?? 0
  return (rankBy(created, steps) ?? Date.parse(created)) + index
}

const PRIORITIES: Readonly<Record<string, number>> = { critical: -2, high: -1, low: 1 }
export const DONE: ReadonlySet<string> = new Set(["done", "completed"])
export const OVER: ReadonlySet<string> = new Set([...DONE, "cancelled"])
export const KNOWN: ReadonlySet<string> = new Set([
  ...OVER,
  "pending",
  "in-progress",
  "review",
  "deferred",
  "blocked",
])
const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  ..."id title description details testStrategy acceptanceCriteria status previousStatus dependencies priority".split(
    " ",
  ),
  ..."subtasks parentTaskId parentTask parentId isSubtask createdAt updatedAt complexity assignee tags".split(
    " ",
  ),
])
