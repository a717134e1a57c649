import * as z from "zod"

/** A refused call: agent, command, reason and suggested alternative. */
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
  /** The files that it would have written. */
  files: z.array(z.string()),
  command: z.string().nullable(),
  /** The session's active task. */
  task: z.string().nullable().optional(),
})
export type RefusedCall = z.infer<typeof refusedCall>

/** A text that HiveMind sent the model within a turn, besides the block in the user message. */
export const injectedText = z.object({
  at: z.string(),
  session: z.string(),
  /** `reply`: of a tool of ours. `note`, `warning`: added to a result. `compaction`: the points that a summary was asked to keep. */
  kind: z.enum(["reply", "note", "warning", "refusal", "compaction"]),
  /** The tool that was called. */
  tool: z.string().nullable(),
  text: z.string(),
})
export type InjectedText = z.infer<typeof injectedText>
