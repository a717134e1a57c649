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
  /** One more than the previous ordered entry's. Left out if the entry commutes with all others. */
  seq: z.int().min(1).optional(),
  undoes: id.optional(),
  /** When a sync brought the entry from another clone. */
  brought: time.optional(),
  /** Set if its clock is higher than that of any earlier entry in this log. This clone's ordered entries do not need it. */
  newest: z.literal(true).optional(),
  ops: z.array(opShape),
  /** The ops as they were written, if merging has applied different ones (`ops`). */
  meant: z.array(opShape).optional(),
})

export type EntryLine = z.infer<typeof entryLine>

/** One line of the log: one transaction. See docs/storage.md for how entries of several writers get one order. */
export type Entry = Omit<EntryLine, "ops" | "meant"> & { ops: Op[]; meant?: Op[] }

/** The tool name of entries that merging writes. They are not shared: every clone computes the same ones. */
export const SYNC_TOOL = "sync"

/** True if the op brought a mem back from the archive. Undoing it moves the mem to the archive again. */
export function isReturn({ ops, meant }: Entry, op: Op): boolean {
  if (!isAddOf(op, "mem")) return false
  const { id } = op.record
  if (op.returned || ops.some((each) => (each.op === "set" || each.op === "drop") && each.id === id))
    return true
  return meant?.some((each) => isAddOf(each, "mem") && each.record.id === id) === false
}

/** When an entry came into this graph: entries of other clones arrive later, with a sync. */
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
