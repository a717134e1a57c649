import type { AnyRecord, Kind, RecordOf } from "../schemas/records.ts"

export interface Link {
  from: Kind
  /** The field's name, or a path with dots for an id in a nested object. */
  field: LinkField<Kind>
  ids: (record: AnyRecord) => (string | null)[]
  to: Kind | "any"
}

/** Every foreign key of the graph. */
const links = [
  one("trajectory", "session_id", "session"),
  one("trajectory", "active_plan_id", "plan"),
  one("trajectory", "active_phase_id", "phase"),
  many("trajectory", "active_task_ids", "task"),
  many("plan", "depends_on", "plan"),
  one("phase", "parent_plan_id", "plan"),
  one("task", "parent_plan_id", "plan"),
  one("task", "parent_phase_id", "phase"),
  one("task", "parent_task_id", "task"),
  many("task", "depends_on", "task"),
  { from: "task", field: "temporal_gate.after_task_id", ids: gateOf, to: "task" } as const,
  many("task", "decisions", "mem"),
  one("mem", "origin_task_id", "task"),
  one("mem", "supersedes", "mem"),
  one("mem", "parent_mem_id", "mem"),
  many("mem", "related_to", "any"),
  many("anchor", "related_to", "any"),
  one("artifact", "task_id", "task"),
  one("artifact", "plan_id", "plan"),
  one("artifact", "superseded_by", "artifact"),
  one("checkpoint", "task_id", "task"),
  one("delegation", "task_id", "task"),
]

/** Links that keep a task from starting. A broken one is not removed, because a missing dependency must not count as done. */
export const HOLDING: ReadonlySet<string> = new Set([
  "task.depends_on",
  "task.temporal_gate.after_task_id",
  "plan.depends_on",
  "task.decisions",
])

export type LinkField<K extends Kind> = Extract<(typeof links)[number], { from: K }>["field"]

const byKind = new Map<Kind, Link[]>()
for (const link of links) byKind.set(link.from, [...(byKind.get(link.from) ?? []), link])

export function linksFrom(kind: Kind): readonly Link[] {
  return byKind.get(kind) ?? []
}

// The casts are safe, because FieldOf allows only fields of that type.
function one<K extends Kind, F extends FieldOf<K, string | null>>(from: K, field: F, to: Kind | "any") {
  return { from, field, to, ids: (record: AnyRecord) => [fieldOf(record, field) as string | null] }
}

function many<K extends Kind, F extends FieldOf<K, string[]>>(from: K, field: F, to: Kind | "any") {
  return { from, field, to, ids: (record: AnyRecord) => fieldOf(record, field) as string[] }
}

function gateOf(record: AnyRecord): (string | null)[] {
  return "temporal_gate" in record ? [record.temporal_gate?.after_task_id ?? null] : []
}

/** The names of a kind's fields that have the type T. */
type FieldOf<K extends Kind, T> = {
  [F in keyof RecordOf<K>]: RecordOf<K>[F] extends T ? F : never
}[keyof RecordOf<K>] &
  string

export function fieldOf(record: Readonly<Record<string, unknown>>, field: string): unknown {
  return record[field]
}

/** Returns the ids of a circle from `start` back to `start`, or undefined. Not recursive, because chains can be long. */
export function findCycle(start: string, next: (id: string) => string[]): string[] | undefined {
  const cameFrom = new Map<string, string>()
  const open = [start]
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    for (const target of next(id)) {
      if (target === start) return trail(start, id, cameFrom)
      if (cameFrom.has(target)) continue
      cameFrom.set(target, id)
      open.push(target)
    }
  }
  return undefined
}

/** True if one of `starts` is in a circle or leads into one. Visits each id once. */
export function leadsIntoCycle(starts: readonly string[], next: (id: string) => string[]): boolean {
  const isOver = new Map<string, boolean>()
  for (const start of starts) {
    const open = [start]
    for (let id = open.at(-1); id !== undefined; id = open.at(-1)) {
      // An id is on the stack again after everything that it leads to.
      if (isOver.has(id)) {
        isOver.set(id, true)
        open.pop()
        continue
      }
      isOver.set(id, false)
      for (const target of next(id)) {
        if (isOver.get(target) === false) return true
        if (!isOver.has(target)) open.push(target)
      }
    }
  }
  return false
}

function trail(start: string, last: string, cameFrom: Map<string, string>): string[] {
  const ids = [start]
  for (let id: string | undefined = last; id !== undefined && id !== start; id = cameFrom.get(id))
    ids.unshift(id)
  return [start, ...ids]
}
