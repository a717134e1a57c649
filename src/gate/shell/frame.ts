import type { Function as FunctionNode } from "unbash"
import type { Environment } from "./environment.ts"

/** What a command would see if it ran. A subshell works on a copy. */
export interface Frame {
  /** Absolute; unknown text if it cannot be known. */
  cwd: string
  vars: Map<string, readonly string[]>
  /** For variables that are not among those. */
  env: Environment
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
  /** In a pipe or in the background: it runs beside its caller. */
  forked: boolean
  /** The pipe around it, as it was written. */
  pipe: string
}

/** A function's body, and the text it was written in. */
interface ShellFunction {
  body: FunctionNode["body"]
  source: string
}

export function childFrame(frame: Frame, changes: Partial<Frame> = {}): Frame {
  return { ...frame, vars: new Map(frame.vars), functions: new Map(frame.functions), ...changes }
}

/** These variables are known at the start, whatever the environment says. */
export function firstFrame(cwd: string, home: string, env: Environment): Frame {
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
    env,
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
export function withArguments(vars: Frame["vars"], args: readonly string[]): Frame["vars"] {
  const copy = new Map(vars)
  setArguments(copy, args)
  return copy
}

export function setArguments(vars: Frame["vars"], args: readonly string[]): void {
  for (const name of vars.keys()) if (/^[1-9]\d*$/.test(name)) vars.delete(name)
  vars.set("@", args).set("*", args)
  for (const [at, arg] of args.entries()) vars.set(String(at + 1), [arg])
}
