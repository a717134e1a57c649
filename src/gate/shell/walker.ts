import type { DoneSoFar } from "./done-so-far.ts"
import type { Frame } from "./frame.ts"
import type { Substitute } from "./word-expansion.ts"

/** What the walk over a syntax tree needs from the judge. */
export interface Walker {
  /** Judges one command, its words expanded; `part` is how it was written. */
  command(args: readonly string[], frame: Frame, part: string): string
  /** `isWhole`: what the file holds now is replaced. */
  writes(path: string, frame: Frame, part: string, isWhole: boolean): void
  done: DoneSoFar
  withSetting(name: string, value: string, frame: Frame): Frame["settings"]
  readFile(path: string, frame: Frame): string
  keepFile(path: string, text: string, frame: Frame): void
  /** Is there such a folder, on disk or made by this command? */
  isFolder(path: string): boolean
  substitute: Substitute
  /** `shopt -s lastpipe`. */
  hasLastpipe(): boolean
  /** Counts one step; false once there were too many. */
  step(): boolean
  /** Much of what may be looked at has been. */
  isShort(): boolean
  /** It was too much: nothing more is looked at. */
  hasEnded(): boolean
}
