import { firstIssue } from "../schemas/checked.ts"
import { maskFields } from "../schemas/fields.ts"
import { addOp, dropOp, type Op, setOp } from "../schemas/op.ts"
import { type Kind, kinds, type NewRecordOf, type RecordOf, recordSchemas } from "../schemas/records.ts"
import { HiveError } from "../shared/error.ts"
import { maskAll } from "../shared/secrets/mask.ts"
import { checkTransaction } from "./check.ts"
import type { IndexName } from "./indexes.ts"
import { changeBetween, emptyState, type GraphState, mapPerKind } from "./state.ts"

/** Collects changes, which are checked and written later. Masks secrets at once. */
export interface Transaction {
  get<K extends Kind>(kind: K, id: string): RecordOf<K> | undefined
  need<K extends Kind>(kind: K, id: string): RecordOf<K>
  all<K extends Kind>(kind: K): Iterable<RecordOf<K>>
  /** Yields the records with a key of an index, in the index's order, then those changed in this transaction. */
  by<K extends Kind>(kind: K, index: IndexName<K>, key: string): Iterable<RecordOf<K>>
  /** Adds a record. If it has no branch, it gets the current git branch. */
  add<K extends Kind>(kind: K, record: NewRecordOf<K>): RecordOf<K>
  set<K extends Kind>(kind: K, id: string, to: Partial<RecordOf<K>>): RecordOf<K>
  drop(kind: Kind, id: string): void
  /** Switches to undo: any status change is allowed, and records get no branch. */
  putBack(): void
  count(session: string, name: string, by?: number): void
  register(session: string, name: string, to: string | number | null): void
  recordCompaction(session: string): void
  /** Records that another program has changed the session's file. */
  recordOutsideEdit(session: string): void
}

/** Changed records by id; null for a dropped record. */
type Touched = { readonly [K in Kind]: Map<string, RecordOf<K> | null> }

export interface Draft extends Transaction {
  readonly base: GraphState
  readonly touched: Touched
  readonly ops: Op[]
  readonly isPutBack: () => boolean
}

/** Runs `build` on a draft over `state` and returns its checked ops. Throws a HiveError if a check fails. */
export function draftOps<T>(
  state: GraphState,
  isArchived: (id: string) => boolean,
  build: (tx: Transaction) => T,
  branch: string | null = null,
): { ops: Op[]; result: T } {
  const draft = openDraft(state, branch)
  const result = build(draft)
  checkTransaction(draft, isArchived)
  return { ops: draft.ops, result }
}

function openDraft(base: GraphState, branch: string | null): Draft {
  const touched: Touched = mapPerKind()
  // The changed records as a state, so that its indexes can be queried.
  const changed = emptyState()
  const ops: Op[] = []
  let isPutBack = false

  const get = <K extends Kind>(kind: K, id: string): RecordOf<K> | undefined => {
    const changed = touched[kind].get(id)
    return changed === undefined ? base[kind].get(id) : (changed ?? undefined)
  }
  const need = <K extends Kind>(kind: K, id: string): RecordOf<K> => {
    const record = get(kind, id)
    if (record === undefined) throw missing(kind, id)
    return record
  }
  const put = <K extends Kind>(kind: K, record: RecordOf<K>): void => {
    touched[kind].set(record.id, record)
    changed[kind].set(record.id, record)
  }

  return {
    base,
    touched,
    ops,
    isPutBack: () => isPutBack,
    get,
    need,
    *all(kind) {
      for (const [id, record] of base[kind]) if (!touched[kind].has(id)) yield record
      yield* changed[kind].values()
    },
    *by(kind, index, key) {
      for (const record of base[kind].by(index, key)) if (!touched[kind].has(record.id)) yield record
      yield* changed[kind].by(index, key)
    },
    add(kind, record) {
      const whole = BRANCHED.has(kind) ? { branch: isPutBack ? null : branch, ...record } : record
      const checked = checkRecord(kind, maskFields(recordSchemas[kind], whole))
      if (get(kind, checked.id) !== undefined)
        throw new HiveError({
          code: "duplicate",
          what: `The ${kind} ${checked.id} already exists.`,
          why: "An id can belong to one record only.",
          use_instead: "Change the existing record, or use a new id.",
          evidence: `${kind}.id = ${checked.id}`,
        })
      put(kind, checked)
      ops.push(addOp(kind, checked))
      return checked
    },
    set(kind, id, to) {
      const before = need(kind, id)
      const checked = checkRecord(kind, { ...before, ...maskFields(recordSchemas[kind], to), id })
      const change = changeBetween(before, checked, Object.keys(to))
      if (change === undefined) return before
      put(kind, checked)
      ops.push(setOp(kind, id, change.to, change.was))
      return checked
    },
    drop(kind, id) {
      const before = need(kind, id)
      touched[kind].set(id, null)
      changed[kind].delete(id)
      ops.push(dropOp(kind, before))
    },
    putBack() {
      isPutBack = true
    },
    count(session, name, by = 1) {
      if (by <= 0) throw shrinking(name, by)
      ops.push({ op: "count", session, name, by })
    },
    register(session, name, to) {
      ops.push({ op: "register", session, name, to: maskAll(to) })
    },
    recordCompaction(session) {
      ops.push({ op: "compaction", session })
    },
    recordOutsideEdit(session) {
      ops.push({ op: "outside_edit", session })
    },
  }
}

function checkRecord<K extends Kind>(kind: K, record: unknown): RecordOf<K> {
  const parsed = recordSchemas[kind].safeParse(record)
  // The cast is safe: the schema of a kind returns records of that kind.
  if (parsed.success) return parsed.data as RecordOf<K>
  const issue = parsed.error.issues[0]
  const field = issue?.path.map(String).join(".") || kind
  throw new HiveError({
    code: "invalid_record",
    what: `The ${kind} was not written: field "${field}" is not valid.`,
    why: firstIssue(parsed.error),
    use_instead: `Correct "${field}" and try again.`,
    evidence: `${kind}.${field}, rule ${issue?.code ?? "unknown"}`,
  })
}

function shrinking(name: string, by: number): HiveError {
  return new HiveError({
    code: "invalid_record",
    what: `"${name}" was not counted.`,
    why: "A counter can only grow, so that the sum does not depend on the order of writers.",
    use_instead: "Use a register for a value that can fall.",
    evidence: `by = ${by}`,
  })
}

function missing(kind: Kind, id: string): HiveError {
  return new HiveError({
    code: "not_found",
    what: `There is no ${kind} ${id}.`,
    why: "No record of that kind has this id.",
    use_instead: "Use an id that a tool has returned, or list the records first.",
    evidence: `${kind}.id = ${id}`,
  })
}

const BRANCHED = new Set<Kind>(kinds.filter((kind) => "branch" in recordSchemas[kind].shape))
