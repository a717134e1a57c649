import type { AndOr, Function as FunctionNode, If, Pipeline, Statement } from "unbash"
import { walkBranches, walkChain, withoutErrexit } from "./branches.ts"
import { defaultSet } from "./default-value.ts"
import { childFrame, define, type Frame } from "./frame.ts"
import { walkEach, walkLoop } from "./loops.ts"
import { goOnFrom, ifStayed, otherFrames, outcomeOf, placeOf } from "./outcomes.ts"
import { addLine } from "./printed.ts"
import { redirect } from "./redirects.ts"
import { expandList, runSimple, walkNested } from "./simple-command.ts"
import { bounded, perhaps, UNKNOWN } from "./unknown-text.ts"
import type { Walker } from "./walker.ts"

type Node = Statement["command"] | FunctionNode["body"] | Statement

/** Walks commands in the order they would run and returns what they would print. */
export function walkAll(nodes: readonly Node[], frame: Frame, walker: Walker): string {
  const printed: string[] = []
  const { done } = walker
  const { now } = done
  for (const [at, node] of nodes.entries()) {
    // One after the other, whether the one before went well or not.
    if (frame.vars.errexit !== "on") done.now = now
    const before = placeOf(frame)
    const { now: soFar } = done
    addLine(printed, walk(node, frame, walker))
    if (frame.vars.errexit === "on") {
      // Where `a` of `a && b` fails, it goes on.
      if (isChain(node) && at < nodes.length - 1) done.now = soFar
      continue
    }
    // What follows a `cd` that has failed runs where one stood before.
    const stayed = ifStayed(node, before, frame, walker.isFolder)
    if (stayed !== undefined) frame.vars.addOutcome(stayed.vars)
  }
  return bounded(printed.join("\n"))
}

function isChain(node: Node): boolean {
  return node.type === "AndOr" || (node.type === "Statement" && node.command.type === "AndOr")
}

export function walk(node: Node, frame: Frame, walker: Walker): string {
  const { now } = walker.done
  const printed = walkOne(node, frame, walker)
  if (mayNotRun(node)) walker.done.now = now
  return printed
}

/** The walk as branches go on with it. */
function branching(frame: Frame, walker: Walker) {
  const { done, isFolder } = walker
  return { done, isFolder, walk: (one: Node) => walk(one, frame, walker) }
}

/** What the environment says is taken for what its author has in mind, as of `${B:-build}`; what was set before is not. */
function walkDefault(node: AndOr | If, frame: Frame, walker: Walker): string | undefined {
  const found = defaultSet(node)
  return found === undefined || frame.vars.has(found.name) ? undefined : walk(found.set, frame, walker)
}

/** Whether a pipe went well, its last stage alone says. With `lastpipe` that one may run in the shell itself. */
function walkPipe(node: Pipeline, frame: Frame, walker: Walker): string {
  if (node.commands.length === 1) return walkAll(node.commands, frame, walker)
  let passed = frame.stdin
  const pipe = frame.source.slice(node.pos, node.end)
  const { now } = walker.done
  for (const [at, stage] of node.commands.entries()) {
    walker.done.now = now
    const inner = childFrame(frame, { stdin: passed, forked: true, pipe })
    passed = walk(stage, inner, walker)
    if (walker.hasLastpipe() && at === node.commands.length - 1) goOnFrom(frame, [outcomeOf(frame), inner])
  }
  return passed
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
      return runSimple(node, frame, walker)
    case "AndOr":
      return walkDefault(node, frame, walker) ?? walkChain(node, frame, branching(frame, walker))
    case "CompoundList":
      return walkAll(node.commands, frame, walker)
    case "Pipeline":
      return node.prefixes.some(({ type }) => type === "Negation")
        ? withoutErrexit(frame, () => walkPipe(node, frame, walker))
        : walkPipe(node, frame, walker)
    case "Redirected": {
      const inner = { ...frame }
      const part = frame.source.slice(node.pos, node.end)
      for (const other of otherFrames(part, frame)) redirect(node.redirects, other, walker, part)
      const keep = redirect(node.redirects, inner, walker, part)
      const printed = walk(node.command, inner, walker)
      frame.cwd = inner.cwd
      return keep(printed)
    }
    case "Subshell": {
      const { now } = walker.done
      const printed = walk(node.body, childFrame(frame), walker)
      // It may have ended before the rest.
      if (/\bexit\b/.test(frame.source.slice(node.pos, node.end))) walker.done.now = now
      return printed
    }
    case "BraceGroup":
      return walk(node.body, frame, walker)
    case "If": {
      const branches = [
        { clause: node.clause, body: node.then },
        ...node.elif.map((one) => ({ clause: one.clause, body: one.then })),
        ...(node.else === undefined ? [] : [{ body: node.else }]),
      ]
      return (
        walkDefault(node, frame, walker) ??
        walkBranches(branches, node.else !== undefined, frame, branching(frame, walker))
      )
    }
    case "While": {
      const { now } = walker.done
      const turn = () => {
        const asked = withoutErrexit(frame, () => walk(node.clause, frame, walker))
        walker.done.now = now
        return [asked, walk(node.body, frame, walker)].filter((one) => one !== "").join("\n")
      }
      return perhaps(walkLoop(turn, frame, walker.isShort))
    }
    case "For":
    case "Select": {
      const values = expandList(node.wordlist, frame, walker.substitute)
      return walkEach(node.name.value, values, () => walk(node.body, frame, walker), frame, walker.isShort)
    }
    case "Case": {
      walkNested(node.word, frame, walker)
      for (const item of node.items) for (const pattern of item.pattern) walkNested(pattern, frame, walker)
      return walkBranches(
        node.items.map(({ body, terminator }) => ({ body, goesOn: terminator?.includes("&") === true })),
        node.items.some(({ pattern }) => pattern.some(({ value }) => value === "*")),
        frame,
        branching(frame, walker),
      )
    }
    case "ArithmeticFor":
      for (const one of [node.initialize, node.test, node.update])
        if (one !== undefined) walkNested(one, frame, walker)
      return perhaps(walkLoop(() => walk(node.body, frame, walker), frame, walker.isShort))
    case "Coproc":
      return walk(node.body, childFrame(frame, { forked: true }), walker)
    case "Function":
      // Past so many it is judged where it stands.
      if (!define(node.name.value, { body: node.body, source: frame.source }, frame))
        walk(node.body, childFrame(frame), walker)
      return ""
    case "TestCommand":
    case "ArithmeticCommand":
      walkNested(node, frame, walker)
      return ""
  }
}

const OPTIONAL = new Set(["If", "While", "For", "Select", "Case", "ArithmeticFor", "Coproc"])
