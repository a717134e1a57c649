import * as z from "zod"

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
  files: z.array(z.string()),
  command: z.string().nullable(),
  task: z.string().nullable().optional(),
  /** Set if HiveMind had no permission to run `command` itself. */
  needs_permission: z.literal(true).optional(),
})
export type RefusedCall = z.infer<typeof refusedCall>

/** A text that HiveMind sent the model during a turn, apart from the block in the user's message. */
export const injectedText = z.object({
  at: z.string(),
  session: z.string(),
  /** `reply`: of a HiveMind tool. `note`, `warning`: added to a tool's output. `compaction`: points a summary should keep. */
  kind: z.enum(["reply", "note", "warning", "refusal", "compaction"]),
  tool: z.string().nullable(),
  text: z.string(),
})
export type InjectedText = z.infer<typeof injectedText>
