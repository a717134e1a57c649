import * as z from "zod"

/**
 * The schema that the model gets. It has no lengths, patterns and bounds, which would cost tokens in every request; each call is
 * still checked for them. Of rarely used fields, it has only the names.
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
  if (type instanceof z.ZodUnion) return schemaForModel(type.options[0] as z.core.$ZodType, rare)
  if (type instanceof z.ZodObject) {
    const named = rareNames(type.shape, rare)
    const fields = Object.entries(type.shape).filter(([name]) => !rare.includes(name))
    const shown = fields.map(([name, field]) => [name, schemaForModel(field, rare)])
    const plain = z.object(Object.fromEntries(shown))
    return named === "" ? plain : plain.describe(`also: ${named}`)
  }
  // The cast is safe: Zod types nested schemas as `$ZodType`, but all of ours are made by `z` and thus `ZodType`.
  return type as z.ZodType
}

/** Lists the names of rarely used fields: `file_locks[], temporal_gate{after_task_id, reason}`. */
export function rareNames(shape: z.core.$ZodShape, rare: readonly string[]): string {
  const named = Object.entries(shape).filter(([name]) => rare.includes(name))
  return named.map(([name, type]) => `${name}${brackets(type)}`).join(", ")
}

function brackets(type: z.core.$ZodType): string {
  if (type instanceof z.ZodOptional) return brackets(type.unwrap())
  if (type instanceof z.ZodArray) return "[]"
  return type instanceof z.ZodObject ? `{${Object.keys(type.shape).join(", ")}}` : ""
}

/** The JSON Schema of the arguments, without `$schema`, which would only cost tokens. */
export function jsonSchemaOf(args: Record<string, z.ZodType>) {
  const { $schema: _, ...schema } = z.toJSONSchema(z.object(args), { io: "input" })
  return schema as { type: "object" } & Record<string, unknown>
}
