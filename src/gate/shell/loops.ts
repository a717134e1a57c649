import { isGlob } from "../../shared/glob.ts"
import type { Frame } from "./frame.ts"
import { goOnFrom, outcomeOf } from "./outcomes.ts"
import { addLine } from "./printed.ts"
import { bounded, isKnown, perhaps, UNKNOWN } from "./unknown-text.ts"

/**
 * A loop of which nobody knows how often it runs: not at all, once, and again with what it has set before. Where it then
 * still makes something another, all that it sets is unknown.
 */
export function walkLoop(turn: () => string, frame: Frame, isShort: () => boolean): string {
  const outer = frame.breaks
  frame.breaks = []
  const before = outcomeOf(frame)
  const set = new Set<string>()
  const forgotten = new Set<string>()
  let printed = ""
  for (let turns = 1; turns <= MAX_TURNS; turns++) {
    const start = outcomeOf(frame)
    printed = turn()
    for (const name of frame.vars.setSince(before.vars)) set.add(name)
    goOnFrom(frame, [outcomeOf(frame), before])
    for (const left of frame.breaks) frame.vars.addOutcome(left)
    if (!frame.vars.differsFrom(start.vars, forgotten)) break
    if (turns > 1 || isShort()) for (const name of forget(set, frame)) forgotten.add(name)
  }
  frame.breaks = outer
  return printed
}

/** `for name in values`. A pattern, or what is not known, stands for any number of them. */
export function walkEach(
  name: string,
  values: readonly string[],
  body: () => string,
  frame: Frame,
  isShort: () => boolean,
): string {
  const isCertain = values.every(isKnown) && values.length > 0
  const before = isCertain ? [] : [outcomeOf(frame)]
  const outer = frame.breaks
  const breaks: Frame["breaks"] = []
  frame.breaks = breaks
  const printed: string[] = []
  for (const [n, value] of values.entries()) {
    // Past the first few an unknown value covers the rest. Loops in loops would use up all that may be looked at.
    const isRest = n >= MAX_LISTED || (n > 0 && isShort())
    const one = isRest ? UNKNOWN : value
    const turn = () => {
      frame.vars.set(name, [one])
      return body()
    }
    addLine(printed, isKnown(one) && !isGlob(one) ? turn() : walkLoop(turn, frame, isShort))
    if (isRest) break
  }
  goOnFrom(frame, [outcomeOf(frame), ...before])
  for (const left of breaks) frame.vars.addOutcome(left)
  frame.breaks = outer
  const text = bounded(printed.join("\n"))
  return isCertain && breaks.length === 0 ? text : perhaps(text)
}

/** The folder only where it is another one at the end of a turn: most go there and back. */
function forget(set: ReadonlySet<string>, frame: Frame): string[] {
  const isElsewhere = frame.vars.others("PWD").length > 0
  const names = [...set].filter((name) => isElsewhere || !/^(PWD|OLDPWD)$/.test(name))
  for (const name of names) frame.vars.set(name, [UNKNOWN])
  if (isElsewhere && set.has("PWD")) frame.cwd = UNKNOWN
  return names
}

const MAX_TURNS = 8
const MAX_LISTED = 64
