import type { Bounds } from "./bounds.ts"
import { childFrame, type Frame, type ShellFunction, withArguments } from "./frame.ts"
import { goOnFrom, type Outcome, outcomeOf } from "./outcomes.ts"
import { addLine } from "./printed.ts"
import type { Run } from "./program.ts"
import { isProgram } from "./programs.ts"
import { bounded, perhaps, UNKNOWN } from "./unknown-text.ts"

type Walk = (body: ShellFunction["body"], frame: Frame) => string

/** The functions of a command: called where it does, and at its end those that it did not call. */
export function newFunctions(run: Run, bounds: Bounds, walk: Walk) {
  const called = new Set<unknown>()
  /** Those that were judged with arguments that stand for all. */
  const covered = new Set<unknown>()

  /** Undefined where there is no function of that name. */
  function call(args: readonly string[], frame: Frame): string | undefined {
    const [name = "", ...rest] = args
    const found = frame.functions.get(name)
    if (found === undefined) return undefined
    for (const { body } of found) called.add(body)
    // The definition may be in a branch that is never taken, so a program of that name is judged too.
    if (isProgram(name)) run.runProgram(args, childFrame(frame))
    if (frame.calls.includes(name)) {
      if (frame.forked) run.destroys("starts itself over and over (a fork bomb)")
      return UNKNOWN
    }
    if (bounds.isShort() && rest.length > 0) runGiven(rest, frame)
    const [only, ...others] = found
    if (only !== undefined && others.length === 0) return callOne(name, only, rest, frame)
    const printed: string[] = []
    const ends: Outcome[] = []
    const before = outcomeOf(frame)
    for (const one of found) {
      goOnFrom(frame, [before])
      addLine(printed, callOne(name, one, rest, frame))
      ends.push(outcomeOf(frame))
    }
    goOnFrom(frame, ends)
    return perhaps(bounded(printed.join("\n")))
  }

  function callOne(
    name: string,
    { body, source }: ShellFunction,
    args: readonly string[],
    frame: Frame,
  ): string {
    // Called over and over, it is judged once more for whatever else it is given.
    if (bounds.isShort() && args.length > 0) {
      if (covered.has(body)) return UNKNOWN
      covered.add(body)
    }
    const inner: Frame = {
      ...frame,
      vars: withArguments(frame.vars, covered.has(body) ? args.map(() => UNKNOWN) : args),
      calls: [...frame.calls, name],
      source,
      forked: false,
      returns: [],
      locals: new Set(),
    }
    const { now } = run.done
    const printed = walk(body, inner)
    // It may have ended before the rest.
    if (inner.returns.length > 0) run.done.now = now
    for (const left of inner.returns) inner.vars.addOutcome(left)
    // What it sets that is not its own, its caller sees.
    for (const variable of inner.vars.keys())
      if (!/^\W$|^\d+$/.test(variable) && !inner.locals.has(variable)) frame.vars.take(variable, inner.vars)
    frame.vars.errexit = inner.vars.errexit
    frame.cwd = inner.cwd
    return printed
  }

  /** A command among its arguments is run. */
  function runGiven(args: readonly string[], frame: Frame): void {
    const program = args.findIndex(isProgram)
    if (program !== -1) run.runProgram(args.slice(program), childFrame(frame))
  }

  /** A function that nothing here called may be called from elsewhere: it is judged with unknown arguments. */
  function finish(frame: Frame): void {
    run.folders.add("/tmp/mktemp")
    const all = [...frame.functions].flatMap(([name, found]) => found.map((one) => ({ name, ...one })))
    // One function may make a folder that another one deletes.
    for (const source of new Set(all.map((one) => one.source)))
      for (const [, name = ""] of source.slice(0, MAX_SOURCE_CHARS).matchAll(MAKES_TEMPORARY))
        if (!frame.vars.has(name)) frame.vars.set(name, ["/tmp/mktemp"])
    for (const { name, body, source } of all) {
      if (called.has(body)) continue
      const vars = withArguments(frame.vars, [UNKNOWN])
      // It may be called without any.
      vars.delete("1")
      walk(body, childFrame(frame, { vars, calls: [name], source }))
    }
  }
  return { call, finish }
}

const MAKES_TEMPORARY = /\b(\w{1,60})="?\$\(mktemp\b/g
const MAX_SOURCE_CHARS = 12_000
