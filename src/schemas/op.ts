import * as z from "zod"
import { firstIssue, tryParse } from "./checked.ts"
import { hostSession } from "./fields.ts"
import { type AnyRecord, type Kind, kinds, type RecordOf, recordSchemas } from "./records.ts"
import { counterName, registerValue } from "./session.ts"

const measures = [
  z.strictObject({
    op: z.literal("count"),
    session: hostSession,
    name: counterName,
    by: z.number().finite(),
  }),
  z.strictObject({
    op: z.literal("register"),
    session: hostSession,
    name: counterName,
    to: registerValue.nullable(),
  }),
  // The host has replaced the session's conversation by a summary: the entry is the line between before and after.
  z.strictObject({ op: z.literal("compaction"), session: hostSession }),
  // Another program has changed the session's file.
  z.strictObject({ op: z.literal("outside_edit"), session: hostSession }),
] as const

/** A measure of a session. It has happened, so it is never undone. */
type Measure = z.infer<(typeof measures)[number]>

interface AddOp<K extends Kind> {
  op: "add"
  kind: K
  record: RecordOf<K>
  /** A mem that was in the archive: taking it back leads there again, not to nothing. */
  returned?: true | undefined
}
interface SetOp<K extends Kind> {
  op: "set"
  kind: K
  id: string
  to: Partial<RecordOf<K>>
  was: Partial<RecordOf<K>>
}
interface DropOp<K extends Kind> {
  op: "drop"
  kind: K
  id: string
  was: RecordOf<K>
}

/** A mem has left the hot set for the archive, which has it. */
interface ArchiveOp {
  op: "archive"
  kind: "mem"
  id: string
}

/** One change. `add` of a record that is there, and `drop` of one that is gone, do nothing. */
export type Op = { [K in Kind]: AddOp<K> | SetOp<K> | DropOp<K> }[Kind] | ArchiveOp | Measure

/** A change of a record. */
export type RecordOp = Extract<Op, { kind: Kind }>

export function recordIdOf(op: RecordOp): string {
  return op.op === "add" ? op.record.id : op.id
}

// The casts of these three: while K is open, TypeScript does not see that kind and record belong together.
export function addOp<K extends Kind>(kind: K, record: RecordOf<K>, returned?: true): Op {
  const op: AddOp<K> = { op: "add", kind, record, ...(returned && { returned }) }
  return op as Op
}

export function setOp<K extends Kind>(
  kind: K,
  id: string,
  to: Partial<RecordOf<K>>,
  was: Partial<RecordOf<K>>,
): Op {
  const op: SetOp<K> = { op: "set", kind, id, to, was }
  return op as Op
}

export function dropOp<K extends Kind>(kind: K, was: RecordOf<K>): Op {
  const op: DropOp<K> = { op: "drop", kind, id: was.id, was }
  return op as Op
}

/** True if it adds a record of that kind. */
export function isAddOf<K extends Kind>(op: Op, kind: K): op is Op & AddOp<K> {
  return op.op === "add" && op.kind === kind
}

/** True if it changes a record of that kind. */
export function isSetOf<K extends Kind>(op: Op, kind: K): op is Op & SetOp<K> {
  return op.op === "set" && op.kind === kind
}

/** True of the measures of a session, which have a log of their own. */
export function isMeasure(op: Op): boolean {
  return !("kind" in op)
}

/** True of ops in the log of the graph. Compactions and outside edits are among them, because their place in the story counts. */
export function inLog(op: Op): boolean {
  return "kind" in op || op.op === "compaction" || op.op === "outside_edit"
}

const kind = z.enum(kinds)
const fields = z.custom<Record<string, unknown>>(isFields, "expected an object of fields")
const recordId = z.string().min(1).max(200)

/** An op as a line has it. What its fields hold is for `readOp` to check, so that nothing is checked twice. */
export const opShape = z.discriminatedUnion("op", [
  z.strictObject({ op: z.literal("add"), kind, record: fields, returned: z.literal(true).optional() }),
  z.strictObject({ op: z.literal("set"), kind, id: recordId, to: fields, was: fields }),
  z.strictObject({ op: z.literal("drop"), kind, id: recordId, was: fields }),
  z.strictObject({ op: z.literal("archive"), kind: z.literal("mem"), id: recordId }),
  ...measures,
])

export type OpShape = z.infer<typeof opShape>

/** The record as its schema has it, or the reason why it is invalid. */
function readRecord<K extends Kind>(kind: K, record: unknown): RecordOf<K> | string {
  const parsed = tryParse(recordSchemas[kind], record)
  // The schema of a kind gives records of that kind, which TypeScript does not see while K is open.
  return parsed.success ? (parsed.data as RecordOf<K>) : firstIssue(parsed.error)
}

/** The op with its records as their schema has them, or why they are not valid. */
export function readOp(shape: OpShape): Op | string {
  switch (shape.op) {
    case "add": {
      const record = readRecord(shape.kind, shape.record)
      if (typeof record === "string") return `the added ${shape.kind} is not valid: ${record}`
      return addOp(shape.kind, record, shape.returned)
    }
    case "set": {
      const to = readFields(shape.kind, shape.to)
      if (typeof to === "string") return to
      // The values before serve undo only: the change holds without them.
      const was = readFields(shape.kind, shape.was)
      return setOp(shape.kind, shape.id, to, typeof was === "string" ? {} : was)
    }
    case "drop": {
      const was = readRecord(shape.kind, shape.was)
      if (typeof was === "string") return `the dropped ${shape.kind} is not valid: ${was}`
      return dropOp(shape.kind, was)
    }
    default:
      return shape
  }
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** Some fields of a record, each by its own schema: the schema of the whole would fill in those left out. */
function readFields(of: Kind, given: Record<string, unknown>): Partial<AnyRecord> | string {
  const schemas: Record<string, z.ZodType> = recordSchemas[of].shape
  const read: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(given)) {
    const parsed = Object.hasOwn(schemas, name) ? schemas[name]?.safeParse(value) : undefined
    if (parsed?.success !== true)
      return `the changed ${of} is not valid: ${name}: ${parsed ? firstIssue(parsed.error) : "no such field"}`
    read[name] = parsed.data
  }
  return read
}
