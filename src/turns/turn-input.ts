import type { Hive } from "../hive/hive.ts"
import type { Log } from "../store/files/log-file.ts"
import type { Validation } from "../watch/validation/validation.ts"
import type { CountedAnswer } from "./answer-counted.ts"
import type { CallSnapshots } from "./call-snapshots.ts"
import type { ChangeNotes } from "./change-notes.ts"
import type { SessionSplits } from "./split.ts"

/** What the steps between turns work with. */
export interface TurnInput {
  hive: () => Promise<Hive>
  log: Log
  /** Shows a line to the person. */
  toast: (message: string) => Promise<void>
  /** What was said last in a session; with "to the end", only if that answer came to its end. */
  lastAnswer: (session: string, only?: "to the end") => Promise<string>
  /** The summary that a session was last cut down to; "" where there is none. */
  lastSummary: (session: string) => Promise<string>
  /** The last answers of a session that have ended, oldest first. */
  lastAnswers: (session: string) => Promise<CountedAnswer[]>
  /** The model's answer that is under way in a session: its calls run in parallel. */
  stepOf: (session: string) => string | null
  validate: Validation
  tree: CallSnapshots
  splits: SessionSplits
  changeNotes: ChangeNotes
}
