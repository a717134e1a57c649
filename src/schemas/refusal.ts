import * as z from "zod"

/** A call that was refused: who tried what, why not, and what would have been the way. */
export const refusedCall = z.object({
  at: z.string(),
  session: z.string(),
  agent: z.string().nullable(),
  tool: z.string(),
  code: z.string(),
  what: z.string(),
  why: z.string(),
  use_instead: z.string(),
  evidence: z.string(),
  /** What it would have written. */
  files: z.array(z.string()),
  command: z.string().nullable(),
  /** What the session was at. */
  task: z.string().nullable().optional(),
})
export type RefusedCall = z.infer<typeof refusedCall>
