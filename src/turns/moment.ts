import type { Hive } from "../hive/hive.ts"
import type { Log } from "../store/files/log-file.ts"
import type { Validation } from "../watch/validation/validation.ts"

/** What the steps between turns work with. */
export interface MomentInput {
  hive: () => Promise<Hive>
  log: Log
  toast: (message: string) => Promise<void>
  lastWords: (session: string, only?: "to the end") => Promise<string>
  lastSummary: (session: string) => Promise<string>
  validate: Validation
}
