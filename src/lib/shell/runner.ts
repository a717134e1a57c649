import { parse, type Script } from "unbash"
import { Findings } from "./findings.ts"
import { HOLE, withoutMarks } from "./hole.ts"
import type { Judgement, ShellContext } from "./judgement.ts"
import { runLoosely } from "./loose.ts"
import { placeOf, tidy } from "./places.ts"
import { judgeProgram } from "./programs.ts"
import { child, type Frame, type Run, withPositions } from "./run.ts"
import { isTangled, MAX_PARSED_CHARS } from "./tangled.ts"
import { type Walker, walk, walkAll, walkNested } from "./walk.ts"

/** Judges one command from beginning to end. */
export function judgeText(command: string, context: ShellContext): Judgement {
  const project = tidy(context.project)
  const home = context.home === undefined ? UNKNOWN_HOME : tidy(context.home)
  const frame = firstFrame(context.cwd === undefined ? project : tidy(context.cwd), home)
  const findings = new Findings()
  const { run, finish } = newRun(findings, project, home)
  run.text(withoutMarks(command), frame)
  finish(frame)
  return findings.judgement()
}

function newRun(findings: Findings, project: string, home: string) {
  const files = new Map<string, string>()
  const called = new Set<unknown>()
  let steps = 0
  let depth = 0
  let processes = 0

  const run: Run = {
    project,
    home,
    files,
    ...findings.teller(() => run),
    text: (text, frame) => deeper(() => runText(text, frame)),
    argv: (args, frame) => deeper(() => command(args, frame)),
  }

  const walker: Walker = {
    command: (args, frame, part) => {
      const outer = findings.part
      findings.part = part
      const printed = deeper(() => command(args, frame))
      findings.part = outer
      return printed
    },
    writes: (path, frame) => run.writes(path, frame),
    readFile: (path, frame) => files.get(placeOf(path, frame, run)) ?? HOLE,
    keepFile: (path, text, frame) => files.set(placeOf(path, frame, run), text),
    step,
    substitute: {
      output: (script, text, frame) =>
        deeper(() => runScript(script, text, child(frame))).replace(/\n+$/, ""),
      file: (script, operator, text, frame) => {
        const path = `/dev/fd/${FIRST_FD - processes++}`
        const printed = deeper(() => runScript(script, text, child(frame)))
        if (operator === "<") files.set(path, printed)
        return path
      },
      nested: (part, frame) => walkNested(part, frame, walker),
    },
  }

  function runText(text: string, frame: Frame): string {
    const outer = findings.part
    findings.part = text
    const printed = parsed(text, frame)
    findings.part = outer
    return printed
  }

  function parsed(text: string, frame: Frame): string {
    if (text.length <= MAX_PARSED_CHARS && !isTangled(text)) {
      try {
        const script = parse(text)
        const inner = { ...frame, source: text }
        const printed = walkAll(script.commands, inner, walker)
        frame.cwd = inner.cwd
        if (script.errors === undefined || script.errors.length === 0) return printed
      } catch {
        // The parser recurses; nested beyond its stack, the text is read word by word below.
      }
    }
    run.unseen("its syntax is broken or too deep; it was judged word by word")
    runLoosely(text.slice(0, MAX_LOOSE_CHARS), frame, run)
    return HOLE
  }

  function runScript(script: Script | undefined, text: string, frame: Frame): string {
    if (script === undefined) return runText(text.replace(/^(\$\(|`|[<>]\()/, ""), frame)
    if (script.source !== undefined) frame.source = script.source
    return walkAll(script.commands, frame, walker)
  }

  function command(args: readonly string[], frame: Frame): string {
    if (!step()) return HOLE
    const [name = "", ...rest] = args
    const body = frame.functions.get(name)
    if (body === undefined) return judgeProgram({ name, args: rest, frame, run })
    called.add(body)
    if (frame.calls.includes(name)) {
      if (frame.forked) run.destroys("starts itself over and over (a fork bomb)")
      return HOLE
    }
    const inner = {
      ...frame,
      vars: withPositions(frame.vars, rest),
      calls: [...frame.calls, name],
      forked: false,
    }
    const printed = walk(body, inner, walker)
    frame.cwd = inner.cwd
    return printed
  }

  function step(): boolean {
    if (++steps === MAX_STEPS) run.unseen("its end: it is too long to be judged whole")
    return steps < MAX_STEPS
  }

  function deeper(work: () => string): string {
    if (depth >= MAX_DEPTH) {
      run.unseen("its innermost part: it is nested too deeply")
      return HOLE
    }
    depth++
    try {
      return work()
    } finally {
      depth--
    }
  }

  /** A function that nothing called here may be called from where we do not see it: judged with unknown arguments. */
  function finish(frame: Frame): void {
    for (const [name, body] of frame.functions) {
      if (called.has(body)) continue
      walk(body, child(frame, { vars: withPositions(frame.vars, [HOLE]), calls: [name] }), walker)
    }
  }
  return { run, finish }
}

function firstFrame(cwd: string, home: string): Frame {
  const vars = new Map<string, readonly string[]>([
    ["HOME", [home]],
    ["PWD", [cwd]],
    ["TMPDIR", ["/tmp"]],
    ["IFS", [" "]],
    ...["?", "$", "!", "#", "RANDOM", "UID"].map((name): [string, string[]] => [name, ["0"]]),
  ])
  return {
    cwd,
    vars,
    functions: new Map(),
    calls: [],
    source: "",
    stdin: "",
    sweep: false,
    elsewhere: false,
    forked: false,
  }
}

const UNKNOWN_HOME = "/~"
const FIRST_FD = 1_000_000
const MAX_STEPS = 100_000
const MAX_DEPTH = 48
const MAX_LOOSE_CHARS = 1_000_000
