import * as z from "zod"

/**
 * The schema that the model sees: types and descriptions without lengths, patterns and bounds. Those are checked on each
 * call and explained when violated; in every request they would only cost tokens. Rarely used fields are named only.
 */
export function schemaForModel(type: z.core.$ZodType, rare: readonly string[] = []): z.ZodType {
  const plain = shapeOf(type, rare)
  const description = z.globalRegistry.get(type)?.description
  return description === undefined ? plain : plain.describe(description)
}

function shapeOf(type: z.core.$ZodType, rare: readonly string[]): z.ZodType {
  if (type instanceof z.ZodOptional) return schemaForModel(type.unwrap(), rare).optional()
  if (type instanceof z.ZodString) return z.string()
  if (type instanceof z.ZodNumber) return z.number()
  if (type instanceof z.ZodBoolean) return z.boolean()
  if (type instanceof z.ZodArray) return z.array(schemaForModel(type.element, rare))
  if (type instanceof z.ZodUnion) {
    // A union has at least one member, which its type does not say.
    const [first] = type.options as [z.core.$ZodType]
    return schemaForModel(first, rare)
  }
  if (type instanceof z.ZodObject) {
    const named = rareNames(type.shape, rare)
    const fields = Object.entries(type.shape).filter(([name]) => !rare.includes(name))
    const plain = z.object(
      Object.fromEntries(fields.map(([name, field]) => [name, schemaForModel(field, rare)])),
    )
    return named === "" ? plain : plain.describe(`also: ${named}`)
  }
  // Zod's own types hold parts as their core; every schema of ours is a full one.
  return type as z.ZodType
}

/** `file_locks[], temporal_gate{after_task_id, reason}`: the rare ones of these fields, as a text names them. */
export function rareNames(shape: z.core.$ZodShape, rare: readonly string[]): string {
  const named = Object.entries(shape).filter(([name]) => rare.includes(name))
  return named.map(([name, type]) => `${name}${brackets(type)}`).join(", ")
}

function brackets(type: z.core.$ZodType): string {
  if (type instanceof z.ZodOptional) return brackets(type.unwrap())
  if (type instanceof z.ZodArray) return "[]"
  return type instanceof z.ZodObject ? `{${Object.keys(type.shape).join(", ")}}` : ""
}

/** As JSON Schema, without the line that names its version: every model reads it, and none needs it. */
export function jsonSchemaOf(args: Record<string, z.ZodType>): JsonSchema {
  const { $schema: _, ...schema } = z.toJSONSchema(z.object(args), { io: "input" })
  // Zod's JSON Schema of an object is one; its type says less.
  return schema as JsonSchema
}

type JsonSchema = { type: "object" } & Record<string, unknown>
