import { type ParsedScript, parse } from "unbash"
import { type Findings, newFindings } from "./findings.ts"
import { HOLE, isKnown, withoutMarks } from "./hole.ts"
import type { Judgement, ShellContext } from "./judgement.ts"
import { runLoosely } from "./loose.ts"
import { placeOf, tidy } from "./places.ts"
import { isProgram, judgeProgram } from "./programs.ts"
import { child, type Frame, firstFrame, type Run, withPositions } from "./run.ts"
import { isTangled, MAX_PARSED_CHARS } from "./tangled.ts"
import { type Walker, walk, walkAll, walkNested } from "./walk.ts"

/** Judges one command from beginning to end. */
export function judgeText(command: string, context: ShellContext): Judgement {
  const project = tidy(context.project)
  const home = context.home === undefined ? UNKNOWN_HOME : tidy(context.home)
  const frame = firstFrame(context.cwd === undefined ? project : tidy(context.cwd), home)
  const findings = newFindings()
  const { run, finish } = newRun(findings, project, home)
  run.text(withoutMarks(command), frame)
  try {
    finish(frame)
  } catch {
    // Only a stack that ran full gets here; all of the text has been judged by then.
    run.unseen("functions that are never called: they are nested too deeply")
  }
  return findings.judgement()
}

/** One judging: what the walk over the syntax tree and the judges of programs share, and the bounds of the work. */
function newRun(findings: Findings, project: string, home: string) {
  const files = new Map<string, string>()
  const called = new Set<unknown>()
  const atEnd: (() => void)[] = []
  let steps = 0
  let chars = 0
  let depth = 0
  let processes = 0

  const run: Run = {
    project,
    home,
    files,
    ...findings.teller(() => run),
    later: (work) => atEnd.push(work),
    text: (text, frame) => deeper(text, () => runText(text, frame)),
    argv: (args, frame) => deeper("", () => program(args, frame)),
  }

  const walker: Walker = {
    command: (args, frame, part) => deeper(part, () => command(args, frame)),
    writes: (path, frame, part) => {
      deeper(part, () => {
        run.writes(path, frame)
        return ""
      })
    },
    readFile: (path, frame) => files.get(placeOf(path, frame, run)) ?? HOLE,
    keepFile: (path, text, frame) => files.set(placeOf(path, frame, run), text),
    step,
    substitute: {
      spend,
      output: (script, text, frame) =>
        deeper("", () => runScript(script, text, child(frame))).replace(/\n+$/, ""),
      file: (script, operator, text, frame) => {
        const path = `/dev/fd/${FIRST_FD + processes++}`
        const printed = deeper("", () => runScript(script, text, child(frame)))
        if (operator === "<") files.set(path, printed)
        return path
      },
      nested: (part, frame) => walkNested(part, frame, walker),
    },
  }

  function runText(text: string, frame: Frame): string {
    if (!spend(text.length)) return HOLE
    if (text.length <= MAX_PARSED_CHARS && !isTangled(text)) {
      try {
        const script = parse(text)
        const inner = { ...frame, source: text }
        const printed = walkAll(script.commands, inner, walker)
        frame.cwd = inner.cwd
        if (!isBroken(script)) return printed
      } catch {
        // The parser recurses; nested beyond its stack, the text is read word by word below.
      }
    }
    return runBroken(text, frame)
  }

  function runBroken(text: string, frame: Frame): string {
    if (!spend(text.length)) return HOLE
    run.unseen("its syntax is broken or too deep; it was judged word by word")
    runLoosely(text, frame, run)
    return HOLE
  }

  function runScript(script: ParsedScript | undefined, text: string, frame: Frame): string {
    if (script === undefined) return runText(text.replace(/^(\$\(|`|[<>]\()/, ""), frame)
    if (script.source !== undefined) frame.source = script.source
    if (!spend(text.length)) return HOLE
    const printed = walkAll(script.commands, frame, walker)
    return isBroken(script) ? runBroken(text, frame) : printed
  }

  function command(args: readonly string[], frame: Frame): string {
    const [name = "", ...rest] = args
    const found = frame.functions.get(name)
    if (found === undefined) return program(args, frame)
    called.add(found.body)
    // It may be defined where the shell never comes, so a program of that name is judged too.
    if (isProgram(name)) program(args, child(frame))
    if (frame.calls.includes(name)) {
      if (frame.forked) run.destroys("starts itself over and over (a fork bomb)")
      return HOLE
    }
    const vars = withPositions(frame.vars, rest)
    const inner = { ...frame, vars, calls: [...frame.calls, name], source: found.source, forked: false }
    const printed = walk(found.body, inner, walker)
    frame.cwd = inner.cwd
    return printed
  }

  function program(args: readonly string[], frame: Frame): string {
    const [name = "", ...rest] = args
    return step() ? judgeProgram({ name, args: rest, frame, run }) : HOLE
  }

  function step(): boolean {
    if (++steps === MAX_STEPS) run.unseen(TOO_LONG)
    return steps < MAX_STEPS
  }

  /** Text nested in text is read again at every level. */
  function spend(count: number): boolean {
    chars += count
    if (chars > MAX_CHARS) run.unseen(TOO_LONG)
    return chars <= MAX_CHARS
  }

  /** Goes one level down; `part` is what is shown of it, unless it says no more than that it cannot be known. */
  function deeper(part: string, work: () => string): string {
    if (depth >= MAX_DEPTH) {
      run.unseen("its innermost part: it is nested too deeply")
      return HOLE
    }
    const outer = findings.part
    if (part !== "" && (isKnown(part) || /\w/.test(part))) findings.part = part
    depth++
    try {
      return work()
    } finally {
      depth--
      findings.part = outer
    }
  }

  /** A function that nothing called here may be called from where we do not see it: judged with unknown arguments. */
  function finish(frame: Frame): void {
    for (const work of atEnd.splice(0)) work()
    for (const [name, { body, source }] of frame.functions) {
      if (called.has(body)) continue
      walk(body, child(frame, { vars: withPositions(frame.vars, [HOLE]), calls: [name], source }), walker)
    }
  }
  return { run, finish }
}

function isBroken(script: ParsedScript): boolean {
  return script.errors !== undefined && script.errors.length > 0
}

const UNKNOWN_HOME = "/~"
const FIRST_FD = 1000
const MAX_STEPS = 100_000
const MAX_DEPTH = 64
const MAX_CHARS = 500_000
const TOO_LONG = "its end: it is too long to be judged whole"
