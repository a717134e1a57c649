import type { AnyRecord } from "../schemas/records.ts"
import { maskAll } from "../shared/secrets/mask.ts"
import type { Taken } from "./found.ts"

type Fields = Readonly<Record<string, unknown>>

/**
 * What an old file says anew of the standing of a record: the old tool has gone on with it. Undefined where it says nothing
 * else, or not that it is newer: a branch may have brought back an older file.
 */
export function newerStanding(there: AnyRecord, record: Taken["record"]): Fields | undefined {
  const [before, after]: Fields[] = [there as Fields, record as Fields]
  if (before === undefined || after === undefined) return undefined
  const [then, now] = [before["updated_at"], after["updated_at"]]
  if (typeof then !== "string" || typeof now !== "string" || now <= then) return undefined
  const telling = "active_task_ids" in there ? HEAD : STATUS
  const isOther = telling.some((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
  if (!isOther) return undefined
  const names = [...telling, ...("active_task_ids" in there ? [] : WITH_STATUS), "updated_at"]
  return Object.fromEntries(names.flatMap((name) => (name in after ? [[name, after[name]]] : [])))
}

/** Its status, or what it waits for: what decides whether it is worked on. And what it is called. */
export function isOtherThan(there: AnyRecord, record: Taken["record"]): boolean {
  if ("title" in there && "title" in record && there.title !== maskAll(record.title)) return true
  if ("status" in there && "status" in record && there.status !== record.status) return true
  if (!("depends_on" in there && "depends_on" in record)) return false
  return record.depends_on.some((id) => !there.depends_on.includes(id))
}

const STATUS = ["status"]
const WITH_STATUS = ["reason", "evidence", "held_back", "completed_at"]
const HEAD = ["active_plan_id", "active_phase_id", "active_task_ids"]
