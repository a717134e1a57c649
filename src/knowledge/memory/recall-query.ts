import * as z from "zod"
import { memKind } from "../../schemas/knowledge.ts"

/** What a recall is asked for with: the arguments of a call. */
export const recallQuery = z.strictObject({
  query: z.string().trim().min(1).max(100_000),
  limit: z.number().int().min(1).max(1000).optional(),
  kinds: z.array(memKind).optional(),
})
export type RecallQuery = z.infer<typeof recallQuery>
