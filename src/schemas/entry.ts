import * as z from "zod"
import { hostSession, id, time } from "./fields.ts"
import { isAddOf, type Op, type OpShape, opShape, readOp } from "./op.ts"

export const author = z.strictObject({
  /** The tool, hook or command that wrote. */
  tool: z.string().min(1).max(100),
  session: hostSession.nullable(),
  agent: z.string().max(200).nullable(),
})
export type Author = z.infer<typeof author>

/** A line of the log. What its records hold is checked where it is used: most lines are only moved. */
export const entryLine = z.strictObject({
  id,
  at: time,
  by: author,
  /** Whose clone wrote it, and when by the clock that all clones share: later than all that its writer had seen. */
  writer: z.string().min(1).max(100),
  clock: z.int().min(0),
  /** Of ordered entries: one more than the one before it. An entry that commutes with all others has none. */
  seq: z.int().min(1).optional(),
  undoes: id.optional(),
  /** Another clone wrote it; this is when it came here. */
  brought: time.optional(),
  /** Of an entry of another clone: its clock is higher than all that was here before it. Of an own ordered entry that is always so. */
  newest: z.literal(true).optional(),
  ops: z.array(opShape),
  /** The ops as their writer meant them, where merging has let fewer come into force. */
  meant: z.array(opShape).optional(),
})

export type EntryLine = z.infer<typeof entryLine>

/** One line of the log: one transaction. See docs/storage.md for how entries of several writers get one order. */
export type Entry = Omit<EntryLine, "ops" | "meant"> & { ops: Op[]; meant?: Op[] }

/** The tool of what merging itself has written: every clone finds that by itself. */
export const SYNC_TOOL = "sync"

/**
 * True where an entry has brought a mem back from the archive, because it is changed or dropped: before that it was not
 * gone, only elsewhere. Taking such an entry back leaves the mem as it was there.
 */
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

/** The entry of a line, without the ops that are not valid. */
export function readEntry(line: EntryLine): Entry {
  const { ops, meant, ...rest } = line
  return { ...rest, ops: readOps(ops), ...(meant !== undefined && { meant: readOps(meant) }) }
}

function readOps(ops: readonly OpShape[]): Op[] {
  return ops.map(readOp).filter((op) => typeof op !== "string")
}
