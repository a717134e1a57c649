import * as z from "zod"
import { hostSession, id, time } from "./fields.ts"
import { isAddOf, type Op, type OpShape, opShape, readOp } from "./op.ts"

export const author = z.strictObject({
  /** The tool, hook or command that wrote the entry. */
  tool: z.string().min(1).max(100),
  session: hostSession.nullable(),
  agent: z.string().max(200).nullable(),
})
export type Author = z.infer<typeof author>

/** A line of the log. `readEntry` validates its records later, because most lines are only copied. */
export const entryLine = z.strictObject({
  id,
  at: time,
  by: author,
  /** The name of the clone that wrote the entry, and a logical clock, higher than that of any entry it knew. */
  writer: z.string().min(1).max(100),
  clock: z.int().min(0),
  /** The number of an ordered entry, one more than the previous one's. Commuting entries have none. */
  seq: z.int().min(1).optional(),
  undoes: id.optional(),
  /** When a sync added the entry to this log, if another clone wrote it. */
  brought: time.optional(),
  /** True if no earlier entry in this log has a higher clock. Only set on entries of other clones. */
  newest: z.literal(true).optional(),
  ops: z.array(opShape),
  /** The original ops of another clone's entry, if the merge had to apply others (`ops`). */
  meant: z.array(opShape).optional(),
})

export type EntryLine = z.infer<typeof entryLine>

/** One line of the log: one transaction. See docs/storage.md for how entries of several writers get one order. */
export type Entry = Omit<EntryLine, "ops" | "meant"> & { ops: Op[]; meant?: Op[] }

/** The tool name of entries that a merge writes. They are not shared, because every clone computes them itself. */
export const SYNC_TOOL = "sync"

/** True if the op restored a mem from the archive. Its undo archives the mem again. */
export function isReturn({ ops, meant }: Entry, op: Op): boolean {
  if (!isAddOf(op, "mem")) return false
  const { id } = op.record
  if (op.returned || ops.some((each) => (each.op === "set" || each.op === "drop") && each.id === id))
    return true
  return meant?.some((each) => isAddOf(each, "mem") && each.record.id === id) === false
}

/** When this graph got the entry: another clone's entry comes later than it was written. */
export function arrivalOf({ at, brought }: Pick<Entry, "at" | "brought">): string {
  return brought ?? at
}

export function readEntry(line: EntryLine): Entry {
  const { ops, meant, ...rest } = line
  return { ...rest, ops: readOps(ops), ...(meant !== undefined && { meant: readOps(meant) }) }
}

function readOps(ops: readonly OpShape[]): Op[] {
  return ops.map(readOp).filter((op) => typeof op !== "string")
}
