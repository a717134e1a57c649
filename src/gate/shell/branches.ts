import type { AndOr, SyntaxNode } from "unbash"
import type { DoneSoFar } from "./done-so-far.ts"
import type { Frame } from "./frame.ts"
import { endsHere, goOnFrom, ifStayed, type Outcome, outcomeOf, placeOf, surelySucceeds } from "./outcomes.ts"
import { addLine } from "./printed.ts"
import { bounded, perhaps } from "./unknown-text.ts"

/** What of the walk a branch needs: to go on with a part of the syntax tree, and what it knows. */
interface Branching<Node> {
  walk(node: Node): string
  done: DoneSoFar
  isFolder(path: string): boolean
}

/** `a && b || c`: a step after `||` runs where one before has failed, and what follows may do without it. */
export function walkChain(
  { commands, operators }: AndOr,
  frame: Frame,
  { walk, done, isFolder }: Branching<AndOr["commands"][number]>,
): string {
  const printed: string[] = []
  const { now } = done
  let passed: Outcome[] = []
  let failed: Outcome[] = []
  let isSure = true
  let isPerhaps = false
  for (const [at, node] of commands.entries()) {
    const isOr = at > 0 && operators[at - 1] === "||"
    if (isOr) done.now = now
    const [from, past] = isOr ? [failed, passed] : [passed, failed]
    goOnFrom(frame, from.length > 0 ? from : past)
    const before = placeOf(frame)
    const text = at < commands.length - 1 ? withoutErrexit(frame, () => walk(node)) : walk(node)
    const stayed = ifStayed(node, before, frame, isFolder)
    const after = endsHere(node, frame) ? [] : [outcomeOf(frame)]
    const failing = stayed !== undefined ? [stayed] : surelySucceeds(node, frame) ? [] : after
    if (at === 0) [passed, failed] = [after, failing]
    else if (isOr) [passed, failed] = [few([...passed, ...after]), failing]
    else [passed, failed] = [after, few([...failed, ...failing])]
    // Where both ways print the same, it is that.
    if (!isOr || text !== printed.at(-1)) {
      addLine(printed, text)
      isPerhaps ||= text !== "" && (isOr || !isSure)
    }
    isSure &&= surelySucceeds(node, frame)
    if (isOr) done.now = now
  }
  goOnFrom(frame, [...passed, ...failed])
  const text = bounded(printed.join("\n"))
  return isPerhaps ? perhaps(text) : text
}

export interface Branch<Node> {
  clause?: Node
  body: Node
  /** The next one runs after it. */
  goesOn?: boolean
}

/** Runs each of these from where it is now, and goes on from any of their ends; `isOne`: one of them runs for sure. */
export function walkBranches<Node extends SyntaxNode>(
  branches: readonly Branch<Node>[],
  isOne: boolean,
  frame: Frame,
  { walk, done }: Pick<Branching<Node>, "walk" | "done">,
): string {
  const printed = new Set<string>()
  const ends: Outcome[] = []
  const { now } = done
  for (const { clause, body, goesOn } of branches) {
    done.now = now
    const asked = clause === undefined ? "" : withoutErrexit(frame, () => walk(clause))
    const before = outcomeOf(frame)
    printed.add([asked, walk(body)].filter((one) => one !== "").join("\n"))
    if (goesOn) {
      // The next one runs after it, or without it.
      goOnFrom(frame, [outcomeOf(frame), before])
      continue
    }
    if (!endsHere(body, frame)) ends.push(outcomeOf(frame))
    goOnFrom(frame, [before])
  }
  goOnFrom(frame, isOne ? ends : few([...ends, outcomeOf(frame)]))
  const text = bounded([...printed].filter((one) => one !== "").join("\n"))
  return isOne && printed.size === 1 ? text : perhaps(text)
}

/** In a condition, and before `&&` and `||`, nothing ends where a step fails, not even with a `set -e` in there. */
export function withoutErrexit(frame: Frame, work: () => string): string {
  const before = frame.vars.errexit
  frame.vars.errexit = "ignored"
  const printed = work()
  if (frame.vars.errexit === "ignored") frame.vars.errexit = before
  return printed
}

function few(outcomes: Outcome[]): Outcome[] {
  const [first, ...rest] = outcomes
  if (first === undefined || outcomes.length <= MAX_OUTCOMES) return outcomes
  for (const { vars } of rest) first.vars.addOutcome(vars)
  return [first]
}

const MAX_OUTCOMES = 4
