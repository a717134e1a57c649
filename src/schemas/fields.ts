import * as z from "zod"
import { maskAll } from "../shared/secrets/mask.ts"

const exactTypes = new WeakSet<object>()

/** Marks a type whose values must not change by a character, such as ids and hashes: no secret is looked for in them. */
export function exact<S extends z.ZodType>(type: S): S {
  exactTypes.add(type)
  return type
}

/** Also of a list of such values, and where the field may be empty. */
function isExact(type: unknown): boolean {
  if (typeof type !== "object" || type === null) return false
  if (exactTypes.has(type)) return true
  return "unwrap" in type && typeof type.unwrap === "function" && isExact(type.unwrap())
}

/** Field types shared by all records. A field that may be empty is `null`, never left out: files stay regular. */
export const id = exact(z.uuid())
export const ids = z.array(id)
/** An id in a call: whole, or its first characters as the packed state shows them. */
export const ref = z
  .string()
  .regex(/^[0-9a-f]{8}[0-9a-f-]{0,28}$/i, "an id, or at least its first 8 characters")
export const time = exact(z.iso.datetime())
export const line = z.string().trim().min(1).max(500)
export const text = z.string().trim().min(1).max(100_000)
export const path = z.string().min(1).max(4096)
/** OpenCode's own session id. HiveMind's records carry it as plain text: the host owns it. */
export const hostSession = exact(z.string().min(1).max(200))
/** A checksum of a file, or of a part of one. */
export const hash = exact(z.string().trim().min(1).max(500))
/** `mmHHDDMMYYYY` and `-2`, `-3`… when that minute is taken; old files have stamps of 10 and 11 digits. */
export const stamp = exact(
  z.string().regex(/^\d{10,12}(-\d+)?$/, "a stamp is 10 to 12 digits, then -2, -3… if needed"),
)

/** The git branch that a record was made on; null where there was none. */
export const branch = z.string().min(1).max(500).nullable().default(null)

export const made = { created_at: time, updated_at: time, stamp }

/** The fields of a record with every secret masked, except in those that the schema calls exact. Not copied without one. */
export function maskFields<T extends object>(schema: z.ZodObject, fields: T): T {
  const exact = exactNames.get(schema) ?? findExact(schema)
  let masked = fields
  for (const [name, value] of Object.entries(fields)) {
    if (exact.has(name)) continue
    const clean = maskAll(value)
    if (clean !== value) masked = { ...masked, [name]: clean }
  }
  return masked
}

function findExact(schema: z.ZodObject): Set<string> {
  const names = Object.entries(schema.shape).flatMap(([name, type]) => (isExact(type) ? [name] : []))
  const found = new Set(names)
  exactNames.set(schema, found)
  return found
}

const exactNames = new WeakMap<z.ZodObject, Set<string>>()
