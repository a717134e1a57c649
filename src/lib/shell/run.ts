import type { Function as ShellFunction } from "unbash"
import type { Kind } from "./judgement.ts"

/** Where a command stands: what it would see if it ran. A subshell works on a copy. */
export interface Frame {
  /** Absolute; a hole if it cannot be known. */
  cwd: string
  vars: Map<string, readonly string[]>
  functions: Map<string, ShellFunction["body"]>
  /** The functions being run, outermost first. */
  calls: readonly string[]
  /** The text whose syntax tree is being walked. */
  source: string
  /** What a command here would read. */
  stdin: string
  /** Run for each of many files, as by `find -exec` and `xargs`. */
  sweep: boolean
  /** On another machine or in a container: its files are not the project's. */
  elsewhere: boolean
  /** In a pipe or in the background, so next to what called it. */
  forked: boolean
}

export function child(frame: Frame, changes: Partial<Frame> = {}): Frame {
  return { ...frame, vars: new Map(frame.vars), functions: new Map(frame.functions), ...changes }
}

/** A function or script sees its own arguments as $1, $2 and so on. */
export function withPositions(vars: Frame["vars"], args: readonly string[]): Frame["vars"] {
  const positions = new Map([...vars].filter(([name]) => !/^[1-9]$/.test(name)))
  positions.set("@", args).set("*", args)
  for (const [at, arg] of args.entries()) positions.set(String(at + 1), [arg])
  return positions
}

/** What a judge of one program may say, and ask for. */
export interface Run {
  readonly project: string
  readonly home: string
  /** What this command wrote into files, by absolute path: a later part of it may run or read them. */
  readonly files: Map<string, string>
  destroys(what: string): void
  /** It writes (or makes, or changes) this file or folder. */
  writes(path: string, frame: Frame): void
  /** It deletes or moves this away; `whole` with all that is in it. */
  removes(path: string, frame: Frame, whole: boolean): void
  writesSomewhere(frame: Frame): void
  unseen(what: string): void
  does(kind: Kind): void
  /** Judges shell text and gives what it would print. */
  text(text: string, frame: Frame): string
  /** Judges one command, its words expanded already, and gives what it would print. */
  argv(args: readonly string[], frame: Frame): string
}

/** One command with its words expanded: `name` is the program without its folder. */
export interface Call {
  name: string
  args: readonly string[]
  frame: Frame
  run: Run
}

/** Judges one program; gives what it would print where that can be known. */
export type Program = (call: Call) => string | undefined
export type Programs = Readonly<Record<string, Program>>
