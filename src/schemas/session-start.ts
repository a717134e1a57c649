import * as z from "zod"

/** What was in no commit when a session began in a folder; null where there is no git. */
export const sessionStart = z.object({
  session: z.string(),
  dir: z.string(),
  /** Milliseconds. */
  at: z.number(),
  changed: z.array(z.string()).nullable(),
  /** Names that the session has given to what was not its own. */
  taken: z.array(z.string()).optional(),
})
export type SessionStart = z.infer<typeof sessionStart>
