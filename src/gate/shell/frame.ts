import type { Function as FunctionNode } from "unbash"
import { Variables } from "./variables.ts"

/** What a command would see if it ran. A subshell works on a copy. */
export interface Frame {
  /** Absolute; unknown text if it cannot be known. */
  cwd: string
  vars: Variables
  /** Of its environment what leads into HiveMind's folder: names and absolute paths. */
  settings: readonly (readonly [string, string])[]
  /** How it may have left the function, or the loop, that is being run. */
  returns: Variables[]
  breaks: Variables[]
  /** The names that are this function's own. */
  locals: Set<string>
  /** Under each name all that may stand for it: one defined in a branch does not take the place of another for sure. */
  functions: Map<string, readonly ShellFunction[]>
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
  /** In a pipe or in the background: it runs beside its caller. */
  forked: boolean
  /** The pipe around it, as it was written. */
  pipe: string
}

/** A function's body, and the text it was written in. */
export interface ShellFunction {
  body: FunctionNode["body"]
  source: string
}

export function childFrame(frame: Frame, changes: Partial<Frame> = {}, errexit = frame.vars.errexit): Frame {
  const vars = Variables.copyOf(frame.vars)
  vars.errexit = errexit
  return { ...frame, vars, functions: new Map(frame.functions), ...changes }
}

/** False where there are too many to be kept. */
export function define(name: string, one: ShellFunction, { functions }: Frame): boolean {
  const known = functions.get(name) ?? []
  if (known.some(({ body }) => body === one.body)) return true
  if (functions.size > MAX_FUNCTIONS || known.length >= MAX_OF_A_NAME) return false
  functions.set(name, [...known, one])
  return true
}

/** The environment is not read; only these few variables are known at the start. */
export function firstFrame(cwd: string, home: string): Frame {
  const numbers = ["?", "$", "!", "#", "RANDOM", "UID"].map((name): [string, string[]] => [name, ["0"]])
  const known: [string, string[]][] = [
    ["HOME", [home]],
    ["PWD", [cwd]],
    ["TMPDIR", ["/tmp"]],
    ["IFS", [" "]],
    // Of text that is given to a shell; a script's way to its own folder leads to where it runs.
    ["0", ["sh"]],
    ["BASH_SOURCE", ["sh"]],
  ]
  return {
    cwd,
    vars: new Variables([...known, ...numbers]),
    settings: [],
    returns: [],
    breaks: [],
    locals: new Set(),
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
export function withArguments(vars: Frame["vars"], args: readonly string[]): Frame["vars"] {
  const copy = Variables.copyOf(vars)
  setArguments(copy, args)
  return copy
}

export function setArguments(vars: Frame["vars"], args: readonly string[]): void {
  for (const name of vars.keys()) if (/^[1-9]\d*$/.test(name)) vars.delete(name)
  vars.set("@", args).set("*", args)
  for (const [at, arg] of args.entries()) vars.set(String(at + 1), [arg])
}

const MAX_FUNCTIONS = 100
const MAX_OF_A_NAME = 4
