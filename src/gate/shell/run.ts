import type { Function as FunctionNode } from "unbash"
import type { Kind } from "./judgement.ts"

/** Where a command stands: what it would see if it ran. A subshell works on a copy. */
export interface Frame {
  /** Absolute; a hole if it cannot be known. */
  cwd: string
  vars: Map<string, readonly string[]>
  functions: Map<string, ShellFunction>
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
  /** The pipe it stands in, as it was written. */
  pipe: string
}

/** A function's body, and the text it was written in. */
interface ShellFunction {
  body: FunctionNode["body"]
  source: string
}

export function child(frame: Frame, changes: Partial<Frame> = {}): Frame {
  return { ...frame, vars: new Map(frame.vars), functions: new Map(frame.functions), ...changes }
}

/** Where a command starts. What the environment holds is not ours to read, but for the few that we were told. */
export function firstFrame(cwd: string, home: string): Frame {
  const numbers = ["?", "$", "!", "#", "RANDOM", "UID"].map((name): [string, string[]] => [name, ["0"]])
  const known: [string, string[]][] = [
    ["HOME", [home]],
    ["PWD", [cwd]],
    ["TMPDIR", ["/tmp"]],
    ["IFS", [" "]],
  ]
  return {
    cwd,
    vars: new Map([...known, ...numbers]),
    functions: new Map(),
    calls: [],
    source: "",
    stdin: "",
    sweep: false,
    elsewhere: false,
    forked: false,
    pipe: "",
  }
}

/** A function or script sees its own arguments as $1, $2 and so on. */
export function withPositions(vars: Frame["vars"], args: readonly string[]): Frame["vars"] {
  const copy = new Map(vars)
  setPositions(copy, args)
  return copy
}

export function setPositions(vars: Frame["vars"], args: readonly string[]): void {
  for (const name of vars.keys()) if (/^[1-9]\d*$/.test(name)) vars.delete(name)
  vars.set("@", args).set("*", args)
  for (const [at, arg] of args.entries()) vars.set(String(at + 1), [arg])
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
  /** Judged when all else is done, with the variables as they are then. */
  later(work: () => void): void
  /** Judges shell text and gives what it would print. */
  text(text: string, frame: Frame): string
  /** Judges one program, its words expanded already (no function of the shell), and gives what it would print. */
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
