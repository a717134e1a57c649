import {
  type AndOr,
  type Command,
  type Function as FunctionNode,
  forEachChild,
  type Statement,
  type SyntaxNode,
  type Word,
} from "unbash"
import type { DoneSoFar } from "./done-so-far.ts"
import { childFrame, type Frame } from "./frame.ts"
import { redirect } from "./redirects.ts"
import { bounded, DOWNLOADED, UNKNOWN } from "./unknown-text.ts"
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
    add(printed, walk(node, frame, walker))
  }
  return bounded(printed.join("\n"))
}

/** `a && b || c`: a step after `||` runs where one before has failed, and what follows may do without it. */
function walkChain({ commands, operators }: AndOr, frame: Frame, walker: Walker): string {
  const printed: string[] = []
  const { now } = walker.done
  for (const [at, node] of commands.entries()) {
    const isOr = at > 0 && operators[at - 1] === "||"
    if (isOr) walker.done.now = now
    const text = walk(node, frame, walker)
    // Where both ways print the same, it is that.
    if (!isOr || text !== printed.at(-1)) add(printed, text)
    if (isOr) walker.done.now = now
  }
  return bounded(printed.join("\n"))
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
      const keep = redirect(node.redirects, inner, walker, frame.source.slice(node.pos, node.end))
      const printed = walk(node.command, inner, walker)
      frame.cwd = inner.cwd
      return keep(printed)
    }
    case "Subshell":
      return walk(node.body, childFrame(frame), walker)
    case "BraceGroup":
      return walk(node.body, frame, walker)
    case "If":
      return walkAll(
        [
          node.clause,
          node.then,
          ...node.elif.flatMap((one) => [one.clause, one.then]),
          ...optional(node.else),
        ],
        frame,
        walker,
      )
    case "While":
      return walkAll([node.clause, node.body], frame, walker)
    case "For":
    case "Select":
      return each(node.name.value, node.wordlist, frame, () => walk(node.body, frame, walker), walker)
    case "Case": {
      walkNested(node.word, frame, walker)
      for (const item of node.items) for (const pattern of item.pattern) walkNested(pattern, frame, walker)
      return walkAll(
        node.items.map((item) => item.body),
        frame,
        walker,
      )
    }
    case "ArithmeticFor":
      for (const one of [node.initialize, node.test, node.update])
        if (one !== undefined) walkNested(one, frame, walker)
      return walk(node.body, frame, walker)
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

function simple(node: Command, frame: Frame, walker: Walker): string {
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
  if (node.name !== undefined && node.prefix.length > 0) inner.vars = new Map(frame.vars)
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
  return `${node.name}=${values.join(" ")}`
}

function each(
  name: string,
  list: readonly Word[] | undefined,
  frame: Frame,
  body: () => string,
  walker: Walker,
): string {
  const values = list?.flatMap((word) => expandWord(word, frame, walker.substitute)) ?? [UNKNOWN]
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
  return bounded(printed.join("\n"))
}

function add(printed: string[], text: string): void {
  if (text === "" || printed.length > MAX_PRINTED) return
  // Past that many lines, the rest is unknown.
  printed.push(printed.length === MAX_PRINTED ? UNKNOWN : text.replace(/\n$/, ""))
}

function optional<T>(one: T | undefined): T[] {
  return one === undefined ? [] : [one]
}

const OPTIONAL = new Set(["If", "While", "For", "Select", "Case", "ArithmeticFor", "Coproc"])
const MAX_TURNS = 8
const MAX_PRINTED = 1000
const MAX_NAMES = 100
