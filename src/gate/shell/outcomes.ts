import type { SyntaxNode } from "unbash"
import { childFrame, type Frame } from "./frame.ts"
import { isKnown, UNKNOWN } from "./unknown-text.ts"
import { STACK, Variables } from "./variables.ts"

/** How a command may have gone: what its variables are by then, and where it is. */
export interface Outcome {
  readonly vars: Variables
  readonly cwd: string
}

export function outcomeOf({ vars, cwd }: Frame): Outcome {
  return { vars: Variables.copyOf(vars), cwd }
}

/** Goes on from any of these; what differs has each of its values. With none of them nothing more runs. */
export function goOnFrom(frame: Frame, outcomes: readonly Outcome[]): void {
  const [first, ...rest] = outcomes
  if (first === undefined) return
  frame.vars.become(first.vars)
  frame.cwd = first.cwd
  for (const { vars } of rest) frame.vars.addOutcome(vars)
}

/** What a `cd` changes, as it is now. */
export function placeOf({ vars, cwd }: Frame): Outcome {
  const place = new Variables()
  for (const name of PLACE) if (vars.has(name)) place.take(name, vars)
  if (place.get("PWD")?.[0] !== cwd) place.set("PWD", [cwd])
  return { vars: place, cwd }
}

/** How it is if a `cd` has failed; undefined where the folder is there, or nothing of the kind was done. */
export function ifStayed(
  node: SyntaxNode,
  before: Outcome,
  frame: Frame,
  isFolder: (path: string) => boolean,
): Outcome | undefined {
  const command = node.type === "Statement" && node.background !== true ? node.command : node
  if (command.type !== "Command" || frame.elsewhere) return undefined
  const name = command.name?.value ?? ""
  if (frame.functions.has(name) || !(MOVES.test(name) || frame.cwd !== before.cwd)) return undefined
  if (frame.vars.get("PWD")?.[0] !== frame.cwd) frame.vars.set("PWD", [frame.cwd])
  const folders = [[frame.cwd], ...frame.vars.others("PWD")]
  if (folders.every(([folder = UNKNOWN]) => isKnown(folder) && isFolder(folder))) return undefined
  const vars = Variables.copyOf(frame.vars)
  for (const one of PLACE) if (before.vars.has(one) || vars.has(one)) vars.take(one, before.vars)
  return { vars, cwd: before.cwd }
}

/** The frames in which a text is to be judged too, because a variable in it, or the folder, may be another one. */
export function otherFrames(text: string, frame: Frame): Frame[] {
  const unsettled = [...frame.vars.unsettled()]
  if (unsettled.length === 0) return []
  const isHere = (name: string) => name === "PWD" && frame.vars.get("PWD")?.[0] === frame.cwd
  const isMeant = (name: string) =>
    (name === STACK && text.includes("popd")) ||
    (name === "OLDPWD" && /\bcd\s+-/.test(text)) ||
    (name === "@" && /\bshift\b/.test(text))
  const named = unsettled.filter((name) => isHere(name) || text.includes(name) || isMeant(name))
  const most = Math.max(0, ...named.map((name) => frame.vars.others(name).length))
  const together = Array.from({ length: most }, (_, at) => named.map((name): [string, number] => [name, at]))
  // Those that were set in one branch belong together; each alone covers the rest.
  const alone =
    named.length < 2
      ? []
      : named.flatMap((name) => together.map((_, at) => [[name, at]] as [string, number][]))
  return [...together, ...alone].slice(0, MAX_FRAMES).map((choice) => {
    const other = childFrame(frame)
    frame.vars.spend(FRAME_WORK + frame.cwd.length / 4)
    for (const name of named) other.vars.set(name, frame.vars.get(name) ?? [])
    for (const [name, at] of choice) {
      const value = frame.vars.others(name)[at]
      if (value === undefined) continue
      other.vars.set(name, value)
      if (isHere(name)) other.cwd = value[0] ?? frame.cwd
    }
    return other
  })
}

/** Nothing of the list that it stands in runs after it. */
export function endsHere(node: SyntaxNode, frame: Frame): boolean {
  switch (node.type) {
    case "Command": {
      const name = node.name?.value ?? ""
      return ENDS.test(name) && !frame.functions.has(name)
    }
    case "Statement":
      return node.background !== true && endsHere(node.command, frame)
    case "BraceGroup":
      return endsHere(node.body, frame)
    case "CompoundList": {
      const last = node.commands.at(-1)
      return last !== undefined && endsHere(last, frame)
    }
    default:
      return false
  }
}

/** As good as never fails. */
export function surelySucceeds(node: SyntaxNode, frame: Frame): boolean {
  if (node.type !== "Command") return node.type === "Function"
  const name = node.name?.value
  return name === undefined || (SUCCEEDS.test(name) && !frame.functions.has(name))
}

const ENDS = /^(exit|return|break|continue)$/
const MOVES = /^(cd|pushd|popd)$/
const PLACE = ["PWD", "OLDPWD", STACK]
const SUCCEEDS =
  /^(:|true|echo|printf|cd|pushd|popd|mkdir|export|set|unset|declare|typeset|local|readonly|shopt|umask)$/
const MAX_FRAMES = 8
/** In variables copied: a command is judged once more. */
const FRAME_WORK = 20
