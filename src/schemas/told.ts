import * as z from "zod"

/** Something that a model was told within a turn, beside what its user's message carried. */
export const told = z.object({
  at: z.string(),
  session: z.string(),
  /** `reply`: of a tool of ours. `note`, `warning`: added to a result. `compaction`: what a summary was asked to keep. */
  kind: z.enum(["reply", "note", "warning", "refusal", "compaction"]),
  /** The tool that was called. */
  tool: z.string().nullable(),
  text: z.string(),
})
export type Told = z.infer<typeof told>
