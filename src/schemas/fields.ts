import * as z from "zod"
import { maskAll } from "../shared/secrets/mask.ts"

const exactTypes = new WeakSet<object>()

/** Marks a type whose values are never masked as secrets, such as ids and hashes. */
export function exact<S extends z.ZodType>(type: S): S {
  exactTypes.add(type)
  return type
}

function isExact(type: unknown): boolean {
  if (typeof type !== "object" || type === null) return false
  if (exactTypes.has(type)) return true
  return "unwrap" in type && typeof type.unwrap === "function" && isExact(type.unwrap())
}

/** The field types that all records share. An empty field is `null`, never missing. */
export const id = exact(z.uuid())
export const ids = z.array(id)
/** An id in a call: whole, or its first characters, which the packed state shows. */
export const ref = z
  .string()
  .regex(/^[0-9a-f]{8}[0-9a-f-]{0,28}$/i, "an id, or at least its first 8 characters")
export const time = exact(z.iso.datetime())
export const line = z.string().trim().min(1).max(500)
export const text = z.string().trim().min(1).max(100_000)
export const path = z.string().min(1).max(4096)
/** The host's session id. Any text is valid, because the host chooses the format. */
export const hostSession = exact(z.string().min(1).max(200))
export const hash = exact(z.string().trim().min(1).max(500))
/** `mmHHDDMMYYYY`, with `-2`, `-3`… if the minute already has a stamp. Old files have stamps of 10 or 11 digits. */
export const stamp = exact(
  z.string().regex(/^\d{10,12}(-\d+)?$/, "a stamp is 10 to 12 digits, then -2, -3… if needed"),
)

export const branch = z.string().min(1).max(500).nullable().default(null)

export const made = { created_at: time, updated_at: time, stamp }

/** Masks secrets in all fields that the schema does not mark as exact. Without a secret, returns the same object. */
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
