import type * as z from "zod"
import { maskAll } from "../shared/secrets/mask.ts"
import { isExact } from "./fields.ts"

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
