import * as z from "zod"

type Schema = z.core.JSONSchema.BaseSchema

/** The type of the argument at a path, in words: `a list of 1 to 50, each a text`. */
export function typeText(fields: z.ZodObject, path: readonly PropertyKey[]): string {
  let schema: Schema = z.toJSONSchema(fields, { io: "input", unrepresentable: "any" })
  for (const key of path) {
    const next = typeof key === "number" ? schema.items : schema.properties?.[String(key)]
    // Every list of ours has one type of items.
    if (typeof next === "object") schema = next as Schema
  }
  return words(schema)
}

function words(schema: Schema): string {
  const { type, minimum, maximum, maxLength } = schema
  if (schema.enum !== undefined) return `one of ${schema.enum.join(", ")}`
  if (schema.anyOf !== undefined)
    return [...new Set(schema.anyOf.map((each) => words(each as Schema)))].join(" or ")
  if (schema.pattern?.includes(ID) === true) return "an id, or at least its first 8 characters"
  if (type === "array") {
    const { minItems, maxItems, items } = schema
    return `a list${range(minItems, maxItems)}, each ${words(items as Schema)}`
  }
  if (type === "object") return objectWords(schema)
  if (type === "boolean") return "true or false"
  if (type === "integer" || type === "number")
    return `a ${type === "integer" ? "whole " : ""}number${range(minimum, maximum)}`
  return maxLength === undefined ? "a text" : `a text of at most ${maxLength} characters`
}

function objectWords({ properties = {}, required = [] }: Schema): string {
  const optional = Object.keys(properties).filter((name) => !required.includes(name))
  const parts = [required.join(", "), optional.length === 0 ? "" : `optionally ${optional.join(", ")}`]
  return `an object with ${parts.filter(Boolean).join("; ") || "no arguments"}`
}

function range(from: number | undefined, to: number | undefined): string {
  const isOpen = to === undefined || to === Number.MAX_SAFE_INTEGER
  if (isOpen) return from === undefined ? "" : ` of at least ${from}`
  return ` of ${from ?? 0} to ${to}`
}

const ID = "[0-9a-f]{8}"
