import * as z from "zod"

/**
 * A type as the model is shown it: its shape and words, without lengths, patterns and bounds. Those are checked on
 * each call and explained when they are broken; sent along with every request they would only cost tokens.
 */
export function schemaForModel(type: z.core.$ZodType): z.ZodType {
  const plain = shapeOf(type)
  const description = z.globalRegistry.get(type)?.description
  return description === undefined ? plain : plain.describe(description)
}

function shapeOf(type: z.core.$ZodType): z.ZodType {
  if (type instanceof z.ZodOptional) return schemaForModel(type.unwrap()).optional()
  if (type instanceof z.ZodString) return z.string()
  if (type instanceof z.ZodNumber) return z.number()
  if (type instanceof z.ZodBoolean) return z.boolean()
  if (type instanceof z.ZodArray) return z.array(schemaForModel(type.element))
  if (type instanceof z.ZodUnion) {
    // A union has at least one member, which its type does not say.
    const [first] = type.options as [z.core.$ZodType]
    return schemaForModel(first)
  }
  if (type instanceof z.ZodObject) {
    const fields = Object.entries(type.shape).map(([name, field]) => [name, schemaForModel(field)])
    return z.object(Object.fromEntries(fields))
  }
  // Zod's own types hold parts as their core; every schema of ours is a full one.
  return type as z.ZodType
}

/** As JSON Schema, without the line that names its version: every model reads it, and none needs it. */
export function jsonSchemaOf(args: Record<string, z.ZodType>): JsonSchema {
  const { $schema: _, ...schema } = z.toJSONSchema(z.object(args), { io: "input" })
  // Zod's JSON Schema of an object is one; its type says less.
  return schema as JsonSchema
}

type JsonSchema = { type: "object" } & Record<string, unknown>
