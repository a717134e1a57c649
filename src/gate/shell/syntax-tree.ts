import {
  type AndOr,
  type Command,
  type CompoundList,
  type Function as FunctionNode,
  forEachChild,
  type Statement,
  type SyntaxNode,
  type Word,
} from "unbash"
import type { DoneSoFar } from "./done-so-far.ts"
import { childFrame, type Frame } from "./frame.ts"
import {
  endsHere,
  goOnFrom,
  ifStayed,
  type Outcome,
  otherFrames,
  outcomeOf,
  placeOf,
  surelySucceeds,
} from "./outcomes.ts"
import { redirect } from "./redirects.ts"
import { bounded, DOWNLOADED, isKnown, UNKNOWN } from "./unknown-text.ts"
import { Variables } from "./variables.ts"
import { expandJoined, expandWord, type Substitute } from "./word-expansion.ts"

/** What the walk over a syntax tree needs from the judge. */
export interface Walker {
  /** Judges one command, its words expanded; `part` is how it was written. */
  command(args: readonly string[], frame: Frame, part: string): string
  /** `isWhole`: what the file holds now is replaced. */
  writes(path: string, frame: Frame, part: string, isWhole: boolean): void
  done: DoneSoFar
  readFile(path: string, frame: Frame): string
  keepFile(path: string, text: string, frame: Frame): void
  /** Is there such a folder, on disk or made by this command? */
  isFolder(path: string): boolean
  substitute: Substitute
  /** Counts one step; false once there were too many. */
  step(): boolean
  /** Much of what may be looked at has been. */
  isShort(): boolean
  /** It was too much: nothing more is looked at. */
  hasEnded(): boolean
}

type Node = Statement["command"] | FunctionNode["body"] | Statement

/** Walks commands in the order they would run and returns what they would print. */
export function walkAll(nodes: readonly Node[], frame: Frame, walker: Walker): string {
  const printed: string[] = []
  const { now } = walker.done
  for (const node of nodes) {
    // One after the other, whether the one before went well or not.
    if (!walker.done.endsAtFailure) walker.done.now = now
    const before = placeOf(frame)
    add(printed, walk(node, frame, walker))
    if (walker.done.endsAtFailure) continue
    // What follows a `cd` that has failed runs where one stood before.
    const stayed = ifStayed(node, before, frame, walker.isFolder)
    if (stayed !== undefined) frame.vars.addOutcome(stayed.vars)
  }
  return bounded(printed.join("\n"))
}

/** `a && b || c`: a step after `||` runs where one before has failed, and what follows may do without it. */
function walkChain({ commands, operators }: AndOr, frame: Frame, walker: Walker): string {
  const printed: string[] = []
  const { now } = walker.done
  let passed: Outcome[] = []
  let failed: Outcome[] = []
  for (const [at, node] of commands.entries()) {
    const isOr = at > 0 && operators[at - 1] === "||"
    if (isOr) walker.done.now = now
    const [from, past] = isOr ? [failed, passed] : [passed, failed]
    goOnFrom(frame, from.length > 0 ? from : past)
    const before = placeOf(frame)
    const text = walk(node, frame, walker)
    const stayed = ifStayed(node, before, frame, walker.isFolder)
    const after = endsHere(node, frame) ? [] : [outcomeOf(frame)]
    const failing = stayed !== undefined ? [stayed] : surelySucceeds(node, frame) ? [] : after
    if (at === 0) [passed, failed] = [after, failing]
    else if (isOr) [passed, failed] = [few([...passed, ...after]), failing]
    else [passed, failed] = [after, few([...failed, ...failing])]
    // Where both ways print the same, it is that.
    if (!isOr || text !== printed.at(-1)) add(printed, text)
    if (isOr) walker.done.now = now
  }
  goOnFrom(frame, [...passed, ...failed])
  return bounded(printed.join("\n"))
}

/** Runs each of these from where it is now, and goes on from any of their ends; `isOne`: one of them runs for sure. */
function walkBranches(branches: readonly Branch[], isOne: boolean, frame: Frame, walker: Walker): string {
  const printed: string[] = []
  const ends: Outcome[] = []
  const { now } = walker.done
  for (const { clause, body, goesOn } of branches) {
    walker.done.now = now
    if (clause !== undefined) add(printed, walk(clause, frame, walker))
    const before = outcomeOf(frame)
    add(printed, walk(body, frame, walker))
    if (goesOn) {
      // The next one runs after it, or without it.
      goOnFrom(frame, [outcomeOf(frame), before])
      continue
    }
    if (!endsHere(body, frame)) ends.push(outcomeOf(frame))
    goOnFrom(frame, [before])
  }
  goOnFrom(frame, isOne ? ends : few([...ends, outcomeOf(frame)]))
  return bounded(printed.join("\n"))
}

interface Branch {
  clause?: CompoundList
  body: CompoundList
  goesOn?: boolean
}

/** It may run not at all, once, or again with what it has set the first time. */
function walkLoop(turn: () => string, frame: Frame, walker: Walker): string {
  const outer = frame.breaks
  const breaks: Frame["breaks"] = []
  frame.breaks = breaks
  const before = outcomeOf(frame)
  let printed = turn()
  goOnFrom(frame, [outcomeOf(frame), before])
  for (const left of breaks) frame.vars.addOutcome(left)
  if ([...frame.vars.unsettled()].length > 0 && !walker.isShort()) {
    printed = turn()
    goOnFrom(frame, [outcomeOf(frame), before])
    for (const left of breaks) frame.vars.addOutcome(left)
  }
  frame.breaks = outer
  return printed
}

function few(outcomes: Outcome[]): Outcome[] {
  const [first, ...rest] = outcomes
  if (first === undefined || outcomes.length <= MAX_OUTCOMES) return outcomes
  for (const { vars } of rest) first.vars.addOutcome(vars)
  return [first]
}

export function walk(node: Node, frame: Frame, walker: Walker): string {
  const { now } = walker.done
  const printed = walkOne(node, frame, walker)
  if (mayNotRun(node)) walker.done.now = now
  return printed
}

/** Its steps may be left out, or its end may hide that they failed. */
function mayNotRun(node: Node): boolean {
  if (node.type === "Statement") return node.background === true
  if (node.type === "Pipeline") return node.prefixes.some(({ type }) => type === "Negation")
  return OPTIONAL.has(node.type)
}

function walkOne(node: Node, frame: Frame, walker: Walker): string {
  if (walker.hasEnded()) return UNKNOWN
  // A simple command counts when it is judged.
  if (node.type !== "Statement" && node.type !== "Command" && !walker.step()) return UNKNOWN
  switch (node.type) {
    case "Statement":
      return walk(node.command, node.background ? childFrame(frame, { forked: true }) : frame, walker)
    case "Command":
      return simple(node, frame, walker)
    case "AndOr":
      return walkChain(node, frame, walker)
    case "CompoundList":
      return walkAll(node.commands, frame, walker)
    case "Pipeline": {
      if (node.commands.length === 1) return walkAll(node.commands, frame, walker)
      let passed = frame.stdin
      const pipe = frame.source.slice(node.pos, node.end)
      const { now } = walker.done
      for (const stage of node.commands) {
        // Whether a pipe went well, its last stage alone says.
        walker.done.now = now
        passed = walk(stage, childFrame(frame, { stdin: passed, forked: true, pipe }), walker)
      }
      return passed
    }
    case "Redirected": {
      const inner = { ...frame }
      const part = frame.source.slice(node.pos, node.end)
      for (const other of otherFrames(part, frame)) redirect(node.redirects, other, walker, part)
      const keep = redirect(node.redirects, inner, walker, part)
      const printed = walk(node.command, inner, walker)
      frame.cwd = inner.cwd
      return keep(printed)
    }
    case "Subshell":
      return walk(node.body, childFrame(frame), walker)
    case "BraceGroup":
      return walk(node.body, frame, walker)
    case "If":
      return walkBranches(
        [
          { clause: node.clause, body: node.then },
          ...node.elif.map((one) => ({ clause: one.clause, body: one.then })),
          ...(node.else === undefined ? [] : [{ body: node.else }]),
        ],
        node.else !== undefined,
        frame,
        walker,
      )
    case "While":
      return walkLoop(() => walkAll([node.clause, node.body], frame, walker), frame, walker)
    case "For":
    case "Select":
      return each(node.name.value, node.wordlist, frame, () => walk(node.body, frame, walker), walker)
    case "Case": {
      walkNested(node.word, frame, walker)
      for (const item of node.items) for (const pattern of item.pattern) walkNested(pattern, frame, walker)
      return walkBranches(
        node.items.map(({ body, terminator }) => ({ body, goesOn: terminator?.includes("&") === true })),
        node.items.some(({ pattern }) => pattern.some(({ value }) => value === "*")),
        frame,
        walker,
      )
    }
    case "ArithmeticFor":
      for (const one of [node.initialize, node.test, node.update])
        if (one !== undefined) walkNested(one, frame, walker)
      return walkLoop(() => walk(node.body, frame, walker), frame, walker)
    case "Coproc":
      return walk(node.body, childFrame(frame, { forked: true }), walker)
    case "Function":
      // Past so many it is judged where it stands.
      if (frame.functions.size > MAX_NAMES) walk(node.body, childFrame(frame), walker)
      else frame.functions.set(node.name.value, { body: node.body, source: frame.source })
      return ""
    case "TestCommand":
    case "ArithmeticCommand":
      walkNested(node, frame, walker)
      return ""
  }
}

/** Runs every `$(…)` below a node that is no command itself. */
export function walkNested(node: SyntaxNode, frame: Frame, walker: Walker): void {
  if (node.type === "CommandExpansion" || node.type === "ArithmeticCommandExpansion")
    walker.substitute.output(node.script, node.text, frame)
  else if (walker.step()) forEachChild(node, (inner) => walkNested(inner, frame, walker))
}

/** Where a variable in it may have several values, it is judged with each; then nothing of it counts as done. */
function simple(node: Command, frame: Frame, walker: Walker): string {
  const others = otherFrames(frame.source.slice(node.pos, node.end), frame)
  if (others.length === 0) return simpleOnce(node, frame, walker)
  const { now } = walker.done
  const texts = new Set<string>()
  for (const other of others) {
    texts.add(simpleOnce(node, other, walker))
    walker.done.now = now
  }
  texts.add(simpleOnce(node, frame, walker))
  walker.done.now = now
  for (const { vars } of others) frame.vars.addOutcome(vars)
  return texts.size === 1 ? ([...texts][0] ?? "") : UNKNOWN
}

function simpleOnce(node: Command, frame: Frame, walker: Walker): string {
  const sub = walker.substitute
  // What a download is piped into says little without the pipe.
  const part = frame.stdin.includes(DOWNLOADED) ? frame.pipe : frame.source.slice(node.pos, node.end)
  const inner: Frame = { ...frame }
  const keep = redirect(node.redirects, inner, walker, part)
  const args = node.name === undefined ? [] : expandWord(node.name, inner, sub)
  // `$compose rm x` where nobody has said what it is.
  if (node.name !== undefined && args.length === 0) args.push(UNKNOWN)
  for (const arg of node.args)
    if (arg.type === "Word") args.push(...expandWord(arg, inner, sub))
    else args.push(assign(arg, frame, walker))
  // In front of a command, an assignment is that command's own; alone, it stays.
  if (node.name !== undefined && node.prefix.length > 0) inner.vars = Variables.copyOf(frame.vars)
  for (const one of node.prefix) if (one.type === "Assignment") assign(one, inner, walker)
  // `$(<file)` is the file's text.
  if (args.length === 0) return keep(node.redirects.some((one) => one.operator === "<") ? inner.stdin : "")
  const printed = walker.command(args, inner, part)
  frame.vars.set("_", args.slice(-1))
  // `cd` moves the shell itself.
  frame.cwd = inner.cwd
  return keep(printed)
}

function assign(
  node: Extract<Command["prefix"][number], { type: "Assignment" }>,
  frame: Frame,
  walker: Walker,
): string {
  const { value, index } = node
  if (index !== undefined) walkNested(index, frame, walker)
  const values =
    value.type === "ArrayValue"
      ? value.elements.flatMap((one) => expandWord(one, frame, walker.substitute))
      : [expandJoined(value, frame, walker.substitute)]
  const before = node.append ? (frame.vars.get(node.name) ?? [UNKNOWN]) : []
  const isList = value.type === "ArrayValue"
  // Every subshell has a copy of them all.
  if (frame.vars.size > MAX_NAMES && !frame.vars.has(node.name)) return `${node.name}=${UNKNOWN}`
  frame.vars.set(
    node.name,
    node.append && !isList ? [before.join(" ") + values.join(" ")] : [...before, ...values],
  )
  return `${node.name}=${(frame.vars.get(node.name) ?? []).join(" ")}`
}

function each(
  name: string,
  list: readonly Word[] | undefined,
  frame: Frame,
  body: () => string,
  walker: Walker,
): string {
  const text = list?.map((word) => frame.source.slice(word.pos, word.end)).join(" ") ?? ""
  const frames = [...otherFrames(text, frame), frame]
  const values = list?.flatMap((word) =>
    frames.flatMap((one) => expandWord(word, one, walker.substitute)),
  ) ?? [UNKNOWN]
  const before = values.every(isKnown) && values.length > 0 ? [] : [outcomeOf(frame)]
  const outer = frame.breaks
  const breaks: Frame["breaks"] = []
  frame.breaks = breaks
  // Past the first few, one turn with an unknown value covers the rest.
  const turns = values.length > MAX_TURNS ? [...values.slice(0, MAX_TURNS), UNKNOWN] : values
  const printed: string[] = []
  for (const [n, value] of turns.entries()) {
    // Loops in loops would use up all that may be looked at: then one turn covers the rest too.
    const isLast = n > 0 && walker.isShort()
    frame.vars.set(name, [isLast ? UNKNOWN : value])
    add(printed, body())
    if (isLast) break
  }
  goOnFrom(frame, [outcomeOf(frame), ...before])
  for (const left of breaks) frame.vars.addOutcome(left)
  frame.breaks = outer
  return bounded(printed.join("\n"))
}

function add(printed: string[], text: string): void {
  if (text === "" || printed.length > MAX_PRINTED) return
  // Past that many lines, the rest is unknown.
  printed.push(printed.length === MAX_PRINTED ? UNKNOWN : text.replace(/\n$/, ""))
}

const OPTIONAL = new Set(["If", "While", "For", "Select", "Case", "ArithmeticFor", "Coproc"])
const MAX_OUTCOMES = 4
const MAX_TURNS = 8
const MAX_PRINTED = 1000
const MAX_NAMES = 100
