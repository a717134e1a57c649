import { isShared, sharedEntry } from "../../src/graph/merge/order.ts"
import { recordsOf } from "../../src/graph/state.ts"
import type { Mem } from "../../src/schemas/knowledge.ts"
import { type AnyRecord, type Kind, kinds, type RecordOf } from "../../src/schemas/records.ts"
import { HiveError } from "../../src/shared/error.ts"
import { derivedId, type Source } from "../../src/shared/ids.ts"
import type { Store } from "../../src/store/store.ts"
import { aCheckpoint, aMem, anAnchor, aPhase, aPlan, aTask, by, T0 } from "./records.ts"

/** Ids that no other clone makes, and a clock that runs at its own speed. */
export function cloneSource(name: string, speed = 1000): Source {
  let count = 0
  let seconds = 0
  return { now: () => T0 + seconds++ * speed, newId: () => derivedId(name, String(count++)) }
}

export async function sharedEntries(store: Store) {
  return (await store.log()).flatMap((entry) => sharedEntry(entry) ?? [])
}

export async function exchange(stores: readonly Store[]): Promise<void> {
  const all = (await Promise.all(stores.map(sharedEntries))).flat()
  for (const store of stores) await store.merge(all)
}

/** The shared graph as text, by id: equal in two clones if they are equal. */
export function sharedGraph(store: Store, archived: readonly Mem[] = []): Record<string, string> {
  const { state } = store.read()
  const records = kinds
    .filter(isShared)
    .flatMap((kind) => Array.from(recordsOf(state, kind).values(), (record) => asText(kind, record)))
  const left = archived.filter(({ id }) => !state.mem.has(id)).map((mem) => asText("mem", mem))
  return Object.fromEntries([...records, ...left].sort(([a], [b]) => (a < b ? -1 : 1)))
}

function asText(kind: Kind, record: AnyRecord): [string, string] {
  const fields = Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1))
  return [`${kind} ${record.id}`, JSON.stringify(fields)]
}

export function seeded(seed: number): () => number {
  let state = seed * 2654435761 + 1
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

/** One write such as a session makes; what the rules refuse does not count. */
export async function randomWrite(store: Store, random: () => number, clone: number): Promise<void> {
  const { state } = store.read()
  const one = <T>(values: Iterable<T>): T | undefined => {
    const all = [...values]
    return all[Math.floor(random() * all.length)]
  }
  const n = 1000 + clone * 1_000_000 + Math.floor(random() * 900_000)
  // Some clocks are ahead of others.
  const updated_at = new Date(T0 + n).toISOString()
  const [task, other] = [one(state.task.values()), one(state.task.values())]
  const [plan, mem, anchor] = [one(state.plan.values()), one(state.mem.values()), one(state.anchor.values())]
  const set = <K extends Kind>(kind: K, record: RecordOf<K> | undefined, to: Partial<RecordOf<K>>) =>
    record && store.write(by, (tx) => tx.set(kind, record.id, to))
  const drop = (kind: Kind, record: AnyRecord | undefined) =>
    record && store.write(by, (tx) => tx.drop(kind, record.id))
  const writes: (() => Promise<unknown> | undefined)[] = [
    async () => {
      // Mostly they work on what is there.
      if (random() < 0.7) return
      await store.write(by, (tx) => {
        tx.add("plan", aPlan(n))
        tx.add("phase", aPhase(n + 1, n))
        tx.add("task", aTask(n + 2, n, n + 1))
      })
    },
    () => store.append(by, (tx) => tx.add("mem", aMem(n, { tags: [`t${n % 5}`] }))),
    () => store.write(by, (tx) => tx.add("anchor", anAnchor(n, { key: `KEY ${n % 4}`, value: String(n) }))),
    () => {
      if (task === undefined) return undefined
      const { parent_plan_id, parent_phase_id } = task
      return store.write(by, (tx) => tx.add("task", aTask(n, 0, 0, { parent_plan_id, parent_phase_id })))
    },
    () => {
      const status = one(["active", "completed", "failed", "planned", "invalidated"] as const) ?? "active"
      return set("task", task, { status, assigned_session_id: `ses_${clone}`, reason: `r${n}`, updated_at })
    },
    () => set("task", task, { depends_on: [...new Set([...(task?.depends_on ?? []), other?.id ?? ""])] }),
    () => task && store.append(by, (tx) => tx.add("checkpoint", aCheckpoint(n, 0, { task_id: task.id }))),
    () => set("task", task, { title: `Title ${n}`, updated_at }),
    () => drop("task", task),
    () => set("plan", plan, { status: "abandoned", reason: `${n}` }),
    () => set("mem", mem, { tags: [...new Set([...(mem?.tags ?? []).slice(1), `t${n % 7}`])], updated_at }),
    () =>
      mem &&
      store.write(by, (tx) => {
        tx.add("mem", aMem(n, { tags: [`t${n % 5}`], supersedes: mem.id }))
        if (mem.status === "active") tx.set("mem", mem.id, { status: "superseded", updated_at })
      }),
    () => drop("mem", mem),
    () => set("anchor", anchor, { value: `value ${n}`, status: "active", updated_at }),
    async () => {
      const last = (await store.log()).at(-1)
      if (last !== undefined) await store.undo(last.id, by)
    },
  ]
  try {
    await one(writes)?.()
  } catch (error) {
    if (!(error instanceof HiveError)) throw error
  }
}
