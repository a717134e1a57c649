import * as z from "zod"

/**
 * A type as the model is shown it: its shape and words, without lengths, patterns and bounds. Those are checked on
 * each call and explained when they are broken; sent along with every request they would only cost tokens.
 */
export function plainly(type: z.core.$ZodType): z.ZodType {
  const plain = shapeOf(type)
  const description = z.globalRegistry.get(type)?.description
  return description === undefined ? plain : plain.describe(description)
}

function shapeOf(type: z.core.$ZodType): z.ZodType {
  if (type instanceof z.ZodOptional) return plainly(type.unwrap()).optional()
  if (type instanceof z.ZodString) return z.string()
  if (type instanceof z.ZodNumber) return z.number()
  if (type instanceof z.ZodBoolean) return z.boolean()
  if (type instanceof z.ZodArray) return z.array(plainly(type.element))
  if (type instanceof z.ZodUnion) return plainly(type.options[0] as z.core.$ZodType)
  if (type instanceof z.ZodObject) {
    const fields = Object.entries(type.shape).map(([name, field]) => [name, plainly(field)])
    return z.object(Object.fromEntries(fields))
  }
  return type as z.ZodType
}
