import { isSame } from "../graph/change.ts"
import { linksFrom } from "../graph/links.ts"
import { recordNames } from "../graph/record-names.ts"
import { type GraphState, recordsOf } from "../graph/state.ts"
import type { Transaction } from "../graph/transaction.ts"
import type { Hive } from "../hive/hive.ts"
import type { Author, Entry } from "../schemas/entry.ts"
import { type AnyRecord, type Kind, kinds } from "../schemas/records.ts"
import { quarantineFile } from "../store/files/quarantine-file.ts"

export interface TakenBack {
  /** Records that are gone again, by kind. */
  dropped: Partial<Record<Kind, number>>
  /** What was changed or built upon since: it stays. The first of them with why. */
  kept: { count: number; examples: { name: string; why: string }[] }
}

/**
 * Takes back what a tool has brought into the graph, as its entries of the log say. A record that somebody has changed since
 * stays, and so does what others lean on, and what another clone has brought as well: it would be gone there too. In transactions of usual length: interrupted, it goes on when run again.
 */
export async function takeBack(
  hive: Hive,
  tool: string,
  {
    dryRun = false,
    onProgress,
  }: { dryRun?: boolean; onProgress?: (done: number, total: number) => void } = {},
): Promise<TakenBack> {
  const { store } = hive
  const entries = await store.log({ tool })
  const brought = broughtBy(entries)
  const shared = broughtElsewhere(entries)
  const { state } = store.read()
  const own = withDerived(state, brought, broughtBy(await store.log({ tool: BY_RULE })), shared)
  const why = whyKept(state, own, shared)
  const isThere = (kind: Kind, id: string) =>
    recordsOf(state, kind).has(id) || (kind === "mem" && store.archive.has(id))
  const going = [...own.values()].filter(({ id, kind }) => !why.has(id) && isThere(kind, id))
  const { nameOf } = recordNames(state)
  const told = [...why].flatMap(([id, reason]) => {
    const kind = own.get(id)?.kind
    return kind === undefined || kind === "trajectory" ? [] : { name: nameOf(kind, id), why: reason }
  })
  const result: TakenBack = {
    dropped: {},
    kept: { count: told.length, examples: told.slice(0, MAX_EXAMPLES) },
  }
  for (const { kind } of going) result.dropped[kind] = (result.dropped[kind] ?? 0) + 1
  if (dryRun) return result

  const by: Author = { tool: `${tool} --undo`, session: null, agent: null }
  const at = new Date(hive.source.now()).toISOString()
  const gone = new Set(going.map(({ id }) => id))
  if (going.length > 0) await store.write(by, (tx) => loosen(tx, gone, at))
  const last = leaningFirst(going)
  for (let from = 0; from < last.length; from += BATCH_RECORDS) {
    const batch = last.slice(from, from + BATCH_RECORDS)
    await store.write(by, (tx) => {
      tx.putBack()
      for (const { kind, id } of batch) drop(tx, store, kind, id)
    })
    onProgress?.(Math.min(from + BATCH_RECORDS, last.length), last.length)
  }
  quarantineFile(hive.home).remove(tool)
  return result
}

export interface Brought {
  kind: Kind
  id: string
  /** As the tool left it. */
  left: AnyRecord
}

/** What a tool's entries have brought, in the order in which it came. */
export function broughtBy(entries: readonly Entry[]): Map<string, Brought> {
  const own = new Map<string, Brought>()
  for (const { ops } of entries) {
    for (const op of ops) {
      if (op.op === "add") own.set(op.record.id, { kind: op.kind, id: op.record.id, left: op.record })
      else if (op.op === "drop") own.delete(op.id)
      else if (op.op === "set") {
        const there = own.get(op.id)
        if (there !== undefined) own.set(op.id, { ...there, left: { ...there.left, ...op.to } as AnyRecord })
      }
    }
  }
  return own
}

/** What other clones have brought by themselves, and not taken back: merging lets only one of two into force. */
function broughtElsewhere(entries: readonly Entry[]): Set<string> {
  const ids = new Set<string>()
  for (const { brought, ops, meant = [] } of entries) {
    if (brought === undefined) continue
    for (const op of [...meant, ...ops]) {
      if (op.op === "add") ids.add(op.record.id)
      else if (op.op === "drop") ids.delete(op.id)
    }
  }
  return ids
}

/** Mems that were made by rule of what is taken back go with it: nobody has saved them. */
function withDerived(
  state: GraphState,
  brought: ReadonlyMap<string, Brought>,
  byRule: ReadonlyMap<string, Brought>,
  shared: ReadonlySet<string>,
): Map<string, Brought> {
  const own = new Map(brought)
  const derived = [...byRule].filter(([, { left }]) => sourcesOf(left).some((id) => brought.has(id)))
  for (const [id, each] of derived) own.set(id, each)
  for (let rest = derived; ; ) {
    const why = whyKept(state, own, shared)
    const staying = rest.filter(([, { left }]) => sourcesOf(left).some((id) => !own.has(id) || why.has(id)))
    if (staying.length === 0) return own
    for (const [id] of staying) own.delete(id)
    rest = rest.filter((each) => !staying.includes(each))
  }
}

/** What a mem was made of by rule; of one that somebody saved, nothing. */
function sourcesOf(record: AnyRecord): string[] {
  if (!("origin" in record)) return []
  if (record.origin === "finished_task") return record.origin_task_id === null ? [] : [record.origin_task_id]
  return record.origin === "anchor" ? record.related_to : []
}

/** Why a record stays, by id: another clone has it too, changed since, or something that stays leans on it. */
function whyKept(
  state: GraphState,
  own: ReadonlyMap<string, Brought>,
  shared: ReadonlySet<string>,
): Map<string, string> {
  const why = new Map<string, string>()
  const open: { kind: Kind; record: AnyRecord }[] = []
  for (const kind of kinds) {
    for (const record of recordsOf(state, kind).values()) {
      const brought = own.get(record.id)
      const reason = shared.has(record.id)
        ? "another clone has brought it too"
        : isAsLeft(record, brought)
          ? undefined
          : "changed since"
      if (brought !== undefined && reason !== undefined) why.set(record.id, reason)
      // A read-head only points somewhere: it is moved away, and one that was moved since is somebody's.
      if (kind !== "trajectory" && reason !== undefined) open.push({ kind, record })
    }
  }
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const link of linksFrom(next.kind)) {
      if (link.field === "related_to") continue
      for (const id of link.ids(next.record)) {
        const brought = id === null ? undefined : own.get(id)
        if (brought === undefined || why.has(brought.id)) continue
        const record = recordsOf(state, brought.kind).get(brought.id)
        if (record === undefined) continue
        why.set(brought.id, `a ${next.kind} that stays leans on it`)
        open.push({ kind: brought.kind, record })
      }
    }
  }
  return why
}

/** Has nobody changed it since the tool? */
export function isAsLeft(record: AnyRecord, brought: Brought | undefined): boolean {
  return brought !== undefined && isSame(sorted(record), sorted(brought.left))
}

function sorted(record: AnyRecord): [string, unknown][] {
  return Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1))
}

/** What was brought last leans on what came before, but for read-heads: a later run may have moved one to what is new. */
function leaningFirst(brought: readonly Brought[]): Brought[] {
  const isHead = ({ kind }: Brought) => kind === "trajectory"
  return [...brought.filter(isHead), ...brought.filter((each) => !isHead(each)).toReversed()]
}

/** Read-heads and cross-references let go of what is about to leave. */
function loosen(tx: Transaction, gone: ReadonlySet<string>, at: string): void {
  const isLost = (id: string | null) => id !== null && gone.has(id)
  for (const head of [...tx.all("trajectory")]) {
    if (gone.has(head.id)) continue
    const tasks = head.active_task_ids.filter((id) => !gone.has(id))
    const to = {
      ...(isLost(head.active_plan_id) && { active_plan_id: null }),
      ...(isLost(head.active_phase_id) && { active_phase_id: null }),
      ...(isLost(head.intent_about) && { intent_about: null }),
      ...(tasks.length < head.active_task_ids.length && { active_task_ids: tasks }),
    }
    if (Object.keys(to).length > 0) tx.set("trajectory", head.id, { ...to, updated_at: at })
  }
  for (const kind of ["mem", "anchor"] as const)
    for (const { id, related_to } of [...tx.all(kind)])
      if (!gone.has(id) && related_to.some(isLost))
        tx.set(kind, id, { related_to: related_to.filter((each) => !isLost(each)) })
}

function drop(tx: Transaction, { archive }: Hive["store"], kind: Kind, id: string): void {
  if (tx.get(kind, id) === undefined) {
    const archived = kind === "mem" ? archive.get(id) : undefined
    if (archived === undefined) return
    // It comes back for as long as it takes to be dropped.
    tx.add("mem", archived)
  }
  tx.drop(kind, id)
}

const BY_RULE = "extraction"
const BATCH_RECORDS = 100
const MAX_EXAMPLES = 20
