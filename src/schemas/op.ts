import * as z from "zod"
import { firstIssue, tryParse } from "./checked.ts"
import { hostSession } from "./fields.ts"
import { type AnyRecord, type Kind, kinds, type RecordOf, recordSchemas } from "./records.ts"
import { counterName, registerValue } from "./session.ts"

const counter = { session: hostSession, name: counterName }
const measures = [
  z.strictObject({ op: z.literal("count"), ...counter, by: z.number().finite() }),
  z.strictObject({ op: z.literal("register"), ...counter, to: registerValue.nullable() }),
  z.strictObject({ op: z.literal("compaction"), session: hostSession }),
  z.strictObject({ op: z.literal("outside_edit"), session: hostSession }),
] as const

/** An op that counts or notes what happened in a session, in a separate log. Undo ignores it, because it did happen. */
type Measure = z.infer<(typeof measures)[number]>

interface AddOp<K extends Kind> {
  op: "add"
  kind: K
  record: RecordOf<K>
  /** True if the mem was in the archive: undoing the op archives it again instead of deleting it. */
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

/** A mem was moved from the graph to the archive. */
interface ArchiveOp {
  op: "archive"
  kind: "mem"
  id: string
}

/** One change. Adding a record that exists, or dropping one that does not, has no effect. */
export type Op = { [K in Kind]: AddOp<K> | SetOp<K> | DropOp<K> }[Kind] | ArchiveOp | Measure

export type RecordOp = Extract<Op, { kind: Kind }>

export function recordIdOf(op: RecordOp): string {
  return op.op === "add" ? op.record.id : op.id
}

// These three functions cast, because TypeScript cannot relate the record's type to the generic kind.
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

export function isAddOf<K extends Kind>(op: Op, kind: K): op is Op & AddOp<K> {
  return op.op === "add" && op.kind === kind
}

export function isSetOf<K extends Kind>(op: Op, kind: K): op is Op & SetOp<K> {
  return op.op === "set" && op.kind === kind
}

/** True for ops that the graph's log contains. Of the measures, these are only compactions and outside edits. */
export function inLog(op: Op): boolean {
  return "kind" in op || op.op === "compaction" || op.op === "outside_edit"
}

const kind = z.enum(kinds)
const fields = z.custom<Record<string, unknown>>(isFields, "expected an object of fields")
const recordId = z.string().min(1).max(200)

/** The shape of an op in a line of the log. `readOp` validates the records in it later. */
export const opShape = z.discriminatedUnion("op", [
  z.strictObject({ op: z.literal("add"), kind, record: fields, returned: z.literal(true).optional() }),
  z.strictObject({ op: z.literal("set"), kind, id: recordId, to: fields, was: fields }),
  z.strictObject({ op: z.literal("drop"), kind, id: recordId, was: fields }),
  z.strictObject({ op: z.literal("archive"), kind: z.literal("mem"), id: recordId }),
  ...measures,
])

export type OpShape = z.infer<typeof opShape>

function readRecord<K extends Kind>(kind: K, record: unknown): RecordOf<K> | string {
  const parsed = tryParse(recordSchemas[kind], record)
  // The cast is safe: the schema of a kind returns records of that kind.
  return parsed.success ? (parsed.data as RecordOf<K>) : firstIssue(parsed.error)
}

/** Parses the records in an op. Returns the reason as a string if one is not valid. */
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
      // Only undo needs the old values, so the op is valid without them.
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

/** Parses some fields of a record, each by its own schema: the record's schema would add defaults for the others. */
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
