import { type ParsedScript, parse } from "unbash"
import { isCostlyToParse } from "../../shared/shell/parse-cost.ts"
import { newBounds } from "./bounds.ts"
import { codeOf } from "./code-of.ts"
import { noteDiff, noteMade, nothingDone } from "./done-so-far.ts"
import { type Findings, newFindings } from "./findings.ts"
import { childFrame, type Frame, firstFrame } from "./frame.ts"
import { newFunctions } from "./functions.ts"
import { diffedIn } from "./git-done.ts"
import { withSetting } from "./hive-words.ts"
import type { Judgement, ShellContext } from "./judgement.ts"
import { contains, isDiscarded, normalizePath, resolvePath } from "./paths.ts"
import type { Run } from "./program.ts"
import { judgeProgram } from "./programs.ts"
import { inputsOf, judgeReplacement } from "./replaces.ts"
import { walkNested } from "./simple-command.ts"
import { walk, walkAll } from "./syntax-tree.ts"
import { isKnown, UNKNOWN, withoutMarkers } from "./unknown-text.ts"
import { judgeUnparsable } from "./unparsable.ts"
import type { Walker } from "./walker.ts"

export type { Judgement, ShellContext } from "./judgement.ts"

/**
 * Judges a shell command without running it: what it would destroy, what it writes and what it is about. Nothing is asked
 * but whether a folder is there; and it is bounded: any text gets an answer, and soon.
 */
export function judgeCommand(command: string, context: ShellContext): Judgement {
  const { project, hive = "", cwd = "", home = "" } = context
  const key = [project, hive, cwd, home, command].join("\n")
  const known = recent.get(key)
  if (known !== undefined) {
    recent.delete(key)
    recent.set(key, known)
    return known
  }
  let hasAsked = false
  const isFolder = (path: string) => {
    hasAsked ||= context.isFolder !== undefined
    return context.isFolder?.(path) ?? true
  }
  const judgement = judgeText(command, { ...context, isFolder })
  // What is on disk may be another thing the next time.
  if (hasAsked || key.length > MAX_CACHED_CHARS) return judgement
  recent.set(key, judgement)
  const [oldest] = recent.keys()
  if (recent.size > MAX_CACHED && oldest !== undefined) recent.delete(oldest)
  return judgement
}

function judgeText(command: string, context: ShellContext): Judgement {
  const project = normalizePath(context.project)
  const home = context.home === undefined ? UNKNOWN_HOME : normalizePath(context.home)
  const cwd = context.cwd === undefined ? project : normalizePath(context.cwd)
  const frame = firstFrame(cwd, home)
  const findings = newFindings()
  const hive = context.hive === undefined ? project : normalizePath(context.hive)
  const { run, finish } = newRun(findings, { project, hive, home }, frame.vars, context.isFolder)
  run.runText(withoutMarkers(command), frame)
  try {
    finish(frame)
  } catch {
    // Only a full stack gets here; all of the text has been judged by then.
    run.addKind("other")
  }
  const moved = [...run.moves].filter(([to, from]) => isKnown(to) && isKnown(from))
  return { ...findings.judgement(), moved }
}

/** What the walk over the syntax tree and the judges of programs share, and the bounds of their work. */
function newRun(
  findings: Findings,
  places: Pick<Run, "project" | "hive" | "home">,
  meter: Pick<Frame["vars"], "spend" | "spent">,
  isOnDisk: ShellContext["isFolder"],
) {
  const files = new Map<string, string>()
  const lastWork: (() => void)[] = []
  const bounds = newBounds(meter, giveUp)
  let depth = 0
  let processes = 0

  const run: Run = {
    ...places,
    files,
    replaced: new Set(),
    folders: new Set(),
    moves: new Map(),
    aside: new Map(),
    links: new Map(),
    lists: [],
    done: nothingDone(),
    shell: { dotglob: false, lastpipe: false },
    git: [],
    ...findings.reports(() => run),
    isFolder: (path) => [...run.folders].some((one) => contains(path, one)) || isOnDisk?.(path) !== false,
    works: bounds.works,
    judged: bounds.steps,
    atEnd: (work) => lastWork.push(work),
    runText: (text, frame, isSameShell = false) => {
      if (!isSameShell) frame.vars.errexit = "off"
      const { now } = run.done
      const printed = deeper(text, () => runText(text, frame))
      // It may have ended before the rest.
      if (/\bexit\b/.test(text.slice(0, MAX_CODE_CHARS))) run.done.now = now
      return printed
    },
    runProgram: (args, frame) => deeper("", () => runProgram(args, frame)),
  }

  const walker: Walker = {
    command: (args, frame, part) =>
      deeper(part, () => functions.call(args, frame) ?? runProgram(args, frame)),
    writes: (path, frame, part, isWhole) => {
      if (!bounds.step()) return
      deeper(part, () => {
        run.writes(path, frame)
        const step = frame.pipe || part
        if (isWhole) judgeReplacement(path, frame, run, { step })
        const to = resolvePath(path, frame, run)
        if (isWhole) noteMade(run.done, to, () => inputsOf(step, frame))
        const isKept = isWhole && isKnown(to) && !isDiscarded(to)
        for (const file of isKept ? diffedIn(part) : []) noteDiff(run.done, resolvePath(file, frame, run), to)
        return ""
      })
    },
    done: run.done,
    withSetting: (name, value, frame) => withSetting(name, value, frame, run),
    readFile: (path, frame) => files.get(resolvePath(path, frame, run)) ?? UNKNOWN,
    keepFile: (path, text, frame) => files.set(resolvePath(path, frame, run), text),
    step: bounds.step,
    isShort: bounds.isShort,
    hasEnded: bounds.hasEnded,
    hasLastpipe: () => run.shell.lastpipe,
    isFolder: (path) => run.isFolder(path),
    substitute: {
      spend: bounds.spend,
      output: (script, text, frame) => {
        const { now } = run.done
        const printed = deeper("", () => runScript(script, text, childFrame(frame, {}, "off")))
        // The command around it goes on whether it went well or not.
        run.done.now = now
        return printed.replace(/\n+$/, "")
      },
      file: (script, operator, text, frame) => {
        const path = `/dev/fd/${FIRST_FD + processes++}`
        const printed = deeper("", () => runScript(script, text, childFrame(frame, {}, "off")))
        if (operator === "<") files.set(path, printed)
        return path
      },
      nested: (part, frame) => walkNested(part, frame, walker),
    },
  }

  const functions = newFunctions(run, bounds, (body, frame) => walk(body, frame, walker))

  function runText(text: string, frame: Frame): string {
    if (text.length > MAX_TEXT_CHARS) {
      bounds.end()
      return UNKNOWN
    }
    const code = codeOf(text, MAX_CODE_CHARS)
    if (code.length > MAX_CODE_CHARS) bounds.end()
    if (code.length > MAX_CODE_CHARS || !bounds.spend(code.length)) return UNKNOWN
    if (!isCostlyToParse(code)) {
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
    if (!bounds.spend(text.length)) return UNKNOWN
    run.addKind("other")
    judgeUnparsable(text, frame, run)
    return UNKNOWN
  }

  function runScript(script: ParsedScript | undefined, text: string, frame: Frame): string {
    if (script === undefined) return runText(text.replace(/^(\$\(|`|[<>]\()/, ""), frame)
    if (script.source !== undefined) frame.source = script.source
    if (!bounds.spend(text.length)) return UNKNOWN
    const printed = walkAll(script.commands, frame, walker)
    return isBroken(script) ? runBroken(text, frame) : printed
  }

  function runProgram(args: readonly string[], frame: Frame): string {
    const [name = "", ...rest] = args
    return bounds.step() ? judgeProgram({ name, args: rest, frame, run }) : UNKNOWN
  }

  /** What was not looked at may be anything. Nobody writes such a command by hand. */
  function giveUp(): void {
    run.addKind("other")
    run.destroys(TOO_MUCH)
  }

  /** Goes one level down; `part` is what is shown of it, unless nothing in it is known. */
  function deeper(part: string, work: () => string): string {
    if (depth >= MAX_DEPTH) {
      bounds.end()
      return UNKNOWN
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

  function finish(frame: Frame): void {
    for (const work of lastWork.splice(0)) work()
    functions.finish(frame)
  }
  return { run, finish }
}

function isBroken(script: ParsedScript): boolean {
  return script.errors !== undefined && script.errors.length > 0
}

/** The gate asks about a command before it runs and after it, and agents repeat themselves. */
const recent = new Map<string, Judgement>()
const MAX_CACHED = 200
const MAX_CACHED_CHARS = 4096
const UNKNOWN_HOME = "/~"
const FIRST_FD = 1000
const TOO_MUCH = "is too much to be judged before it runs"
const MAX_CODE_CHARS = 12_000
const MAX_TEXT_CHARS = 500_000
const MAX_DEPTH = 32
