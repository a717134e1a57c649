import type { DoneSoFar } from "./done-so-far.ts"
import type { Frame } from "./frame.ts"
import type { GitSoFar } from "./git-so-far.ts"
import type { CommandKind, Question } from "./judgement.ts"

/** Judges one program; returns what it would print where that can be known. */
export type Program = (call: Call) => string | undefined
export type Programs = Readonly<Record<string, Program>>

/** One command with its words expanded: `name` is the program without its folder. */
export interface Call {
  name: string
  args: readonly string[]
  frame: Frame
  run: Run
}

/** What a program's judge may report, and ask for. */
export interface Run {
  readonly project: string
  /** The folder that holds `.hivemind/`. */
  readonly hive: string
  readonly home: string
  /** What this command wrote into files, by absolute path: a later part of it may run or read them. */
  readonly files: Map<string, string>
  /** Files that this command gives another text, which is asked about: it may delete them again. */
  readonly replaced: Set<string>
  /** Folders that this command has made, absolute. */
  readonly folders: Set<string>
  /** Where this command put things: what is deleted there later was somewhere else before. */
  readonly moves: Map<string, string>
  /** What it has copied or moved from where, by the new name; the step may have failed. */
  readonly aside: Map<string, string>
  /** The links it made, and where they lead. */
  readonly links: Map<string, string>
  /** How its git commands leave each repository they work in. */
  readonly git: GitSoFar[]
  /** What its programs have listed: a word with a marker means one of these. */
  readonly lists: Question[]
  /** What its earlier steps have done for sure. */
  readonly done: DoneSoFar
  /** Its options: with `dotglob`, `*` also means names that begin with a dot; `lastpipe`: see syntax-tree.ts. */
  readonly shell: { dotglob: boolean; lastpipe: boolean }
  /** Is there such a folder, on disk or made by this command? */
  isFolder(path: string): boolean
  destroys(what: string): void
  /** It deletes or overwrites something that may be in git, or made again. */
  loses(question: Question): void
  /** It writes (or makes, or changes) this file or folder. */
  writes(path: string, frame: Frame): void
  /** It deletes or moves this away; `whole` with all that is in it. */
  removes(path: string, frame: Frame, whole: boolean): void
  writesUnknownPath(frame: Frame): void
  addKind(kind: CommandKind): void
  /** Counts work on a long text; false once there was too much of it, and then the command is refused. */
  works(count: number): boolean
  /** How many programs have been judged so far. */
  judged(): number
  /** Runs `work` when all else is judged, with the variables as they are then. */
  atEnd(work: () => void): void
  /** Judges shell text and returns what it would print. By itself it is for a shell of its own, without `set -e`. */
  runText(text: string, frame: Frame, isSameShell?: boolean): string
  /** Judges one program, its words expanded already (no function of the shell), and returns what it would print. */
  runProgram(args: readonly string[], frame: Frame): string
}

/** One judge for several programs: `names` are separated by blanks. */
export function sameFor(names: string, program: Program): Programs {
  return Object.fromEntries(names.split(" ").map((name): [string, Program] => [name, program]))
}
