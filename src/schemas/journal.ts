import * as z from "zod"
import { hostSession, id, time } from "./fields.ts"
import { type Op, opShape, readOp } from "./op.ts"

const author = z.strictObject({
  /** The tool, hook or command that wrote. */
  tool: z.string().min(1).max(100),
  session: hostSession.nullable(),
  agent: z.string().max(200).nullable(),
})
export type Author = z.infer<typeof author>

/** The author's tool of counts that nobody asks for one by one: the history keeps their sums. */
export const COUNTING = "count"

/** A line of the journal. What its records hold is checked where it is used: most lines are only moved. */
export const entryLine = z.strictObject({
  id,
  at: time,
  by: author,
  after: id.nullable().optional(),
  undoes: id.optional(),
  ops: z.array(opShape).min(1),
})

export type EntryLine = z.infer<typeof entryLine>

/**
 * One line of the journal: one transaction. `after` names the last ordered entry its writer had seen; an entry
 * that commutes with all others has none. See docs/storage.md for why that is enough to order writers.
 */
export type Entry = Omit<EntryLine, "ops"> & { ops: Op[] }

/** The entry of a line, without the ops that are not valid. */
export function readEntry(line: EntryLine): Entry {
  return { ...line, ops: line.ops.map(readOp).filter((op) => typeof op !== "string") }
}
