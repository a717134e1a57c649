import * as z from "zod"
import { hostSession, id, time } from "./fields.ts"
import { type AnyRecord, type Kind, kinds } from "./records.ts"

const kind = z.enum(kinds as [Kind, ...Kind[]])
// Only the shape: the record's own schema looks inside, and copying every field twice would slow loading down.
const fields = z.custom<Record<string, unknown>>(
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  "expected an object of fields",
)
// Names that every JavaScript object has would count as functions, not as numbers.
const counterName = z
  .string()
  .min(1)
  .max(100)
  .refine((name) => !(name in {}), "a name that JavaScript needs for itself")
const recordId = z.string().min(1).max(200)

/** What can happen to a session that is an entry of its own. `compaction`: the host replaced the conversation by a summary. */
export const marks = z.enum(["compaction"])
export type Mark = z.infer<typeof marks>

/** One change of one record. `add` of a record that is there, and `drop` of one that is gone, do nothing. */
const op = z.discriminatedUnion("op", [
  z.strictObject({ op: z.literal("add"), kind, record: fields }),
  z.strictObject({ op: z.literal("set"), kind, id: recordId, to: fields, was: fields }),
  z.strictObject({ op: z.literal("drop"), kind, id: recordId, was: fields }),
  z.strictObject({
    op: z.literal("count"),
    session: hostSession,
    name: counterName,
    by: z.number().finite(),
  }),
  // The last one in the order of the entries counts; null clears.
  z.strictObject({
    op: z.literal("register"),
    session: hostSession,
    name: counterName,
    to: z.union([z.string().max(1000), z.number().finite()]).nullable(),
  }),
  z.strictObject({ op: z.literal("mark"), session: hostSession, what: marks }),
])

const author = z.strictObject({
  /** The tool, hook or command that wrote. */
  tool: z.string().min(1).max(100),
  session: hostSession.nullable(),
  agent: z.string().max(200).nullable(),
})
export type Author = z.infer<typeof author>

/** The author's tool of counts that nobody asks for one by one: the history keeps their sums. */
export const COUNTING = "count"

/**
 * One line of the journal: one transaction. `after` names the last ordered entry its writer had seen; an entry
 * that commutes with all others has none. See docs/storage.md for why that is enough to order writers.
 */
export const entry = z.strictObject({
  id,
  at: time,
  by: author,
  after: id.nullable().optional(),
  undoes: id.optional(),
  ops: z.array(op).min(1),
})
export type Entry = z.infer<typeof entry>

export type Op =
  | { op: "add"; kind: Kind; record: AnyRecord | Record<string, unknown> }
  | { op: "set"; kind: Kind; id: string; to: Record<string, unknown>; was: Record<string, unknown> }
  | { op: "drop"; kind: Kind; id: string; was: Record<string, unknown> }
  | { op: "count"; session: string; name: string; by: number }
  | { op: "register"; session: string; name: string; to: string | number | null }
  | { op: "mark"; session: string; what: Mark }
