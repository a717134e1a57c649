import { isAnchorKept } from "../../graph/lifecycle.ts"
import { type GraphState, recordsOf } from "../../graph/state.ts"
import type { Hive } from "../../hive/hive.ts"
import { type Anchor, anchorKey } from "../../schemas/knowledge.ts"
import type { Kind } from "../../schemas/records.ts"
import { readMigrations } from "../../store/migrations.ts"
import type { InGraph } from "../older/known.ts"
import { type Brought, broughtBy } from "../take-back.ts"

/** Plans, phases, tasks and read-heads that earlier migrations have made and that are still there, each as they left it. */
export async function madeEarlier(
  { home, store }: Hive,
  tool: string,
  without: ReadonlySet<string>,
): Promise<Map<string, Brought>> {
  // Most have none, and need not read the log.
  if (!readMigrations(home).some(({ state }) => state === "done")) return new Map()
  const made = broughtBy(await store.log({ tool, kinds: LOOKED_AT }))
  const { state } = store.read()
  for (const { kind, id } of made.values())
    if (without.has(id) || !LOOKED_AT.includes(kind) || !recordsOf(state, kind).has(id)) made.delete(id)
  return made
}

/** What readers of old files ask of the graph; `without` is what this very migration has written. */
export function graphFor(
  { store }: Hive,
  made: ReadonlyMap<string, Brought>,
  without: Pick<ReadonlySet<string>, "has">,
): InGraph {
  const { state } = store.read()
  const get = <T>(records: ReadonlyMap<string, T>, id: string) =>
    without.has(id) ? undefined : records.get(id)
  return {
    plan: (id) => get(store.read().state.plan, id),
    phase: (id) => get(store.read().state.phase, id),
    task: (id) => get(store.read().state.task, id),
    anchor: (id, key) => anchorIn(store.read().state, id, key, without),
    made: [...made.values()].flatMap(({ kind, id }) => {
      if (!isOfWork(kind)) return []
      const record = state[kind].get(id)
      if (record === undefined) return []
      const plan = "parent_plan_id" in record ? record.parent_plan_id : id
      return { kind, id, plan, title: record.title }
    }),
  }
}

/** An anchor of the graph: a key names one. */
export function anchorIn(
  { anchor }: GraphState,
  id: string,
  key: string,
  without: Pick<ReadonlySet<string>, "has">,
): Anchor | undefined {
  const named = [...anchor.by("key", anchorKey(key))].find(isAnchorKept)
  return [anchor.get(id), named].find((each) => each !== undefined && !without.has(each.id))
}

const KINDS = ["plan", "phase", "task"] as const
const LOOKED_AT: readonly Kind[] = [...KINDS, "trajectory"]

function isOfWork(kind: string): kind is (typeof KINDS)[number] {
  return KINDS.some((each) => each === kind)
}
