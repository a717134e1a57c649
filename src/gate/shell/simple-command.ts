import { type Command, forEachChild, type SyntaxNode, type Word } from "unbash"
import type { Frame } from "./frame.ts"
import { otherFrames } from "./outcomes.ts"
import { redirect } from "./redirects.ts"
import { DOWNLOADED, UNKNOWN } from "./unknown-text.ts"
import { Variables } from "./variables.ts"
import type { Walker } from "./walker.ts"
import { expandJoined, expandWord, type Substitute } from "./word-expansion.ts"

/** Where a variable in it may have several values, it is judged with each; then nothing of it counts as done. */
export function runSimple(node: Command, frame: Frame, walker: Walker): string {
  const others = otherFrames(frame.source.slice(node.pos, node.end), frame)
  if (others.length === 0) return simpleOnce(node, frame, walker)
  const { now } = walker.done
  const texts = new Set<string>()
  const before = [...others, frame].map(({ vars }) => Variables.copyOf(vars))
  for (const other of others) {
    texts.add(simpleOnce(node, other, walker))
    walker.done.now = now
  }
  texts.add(simpleOnce(node, frame, walker))
  walker.done.now = now
  // Most commands set nothing.
  const isSame = [...others, frame].every(({ vars }, at) => vars.isSame(before[at]))
  if (!isSame) for (const { vars } of others) frame.vars.addOutcome(vars)
  return texts.size === 1 ? ([...texts][0] ?? "") : UNKNOWN
}

/** `$DOCKER_COMPOSE`: what a program is that nobody knows, its variable says. */
function meantBy(name: string): string {
  const variable = /^"?\$\{?(\w{1,60})\}?"?$/.exec(name)?.[1]?.toLowerCase() ?? ""
  if (variable.includes("sudo")) return ""
  return variable.includes("compose") ? "docker-compose" : (/docker|podman|nerdctl/.exec(variable)?.[0] ?? "")
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
  if (args[0] === UNKNOWN) args[0] += node.name === undefined ? "" : meantBy(node.name.text)
  for (const arg of node.args)
    if (arg.type === "Word") args.push(...expandWord(arg, inner, sub))
    else args.push(assign(arg, frame, walker))
  // In front of a command, an assignment is that command's own; alone, it stays.
  if (node.name !== undefined && node.prefix.length > 0) inner.vars = Variables.copyOf(frame.vars)
  for (const one of node.prefix) {
    if (one.type !== "Assignment") continue
    const value = assign(one, inner, walker).slice(one.name.length + 1)
    if (node.name !== undefined) inner.settings = walker.withSetting(one.name, value, inner)
  }
  // `$(<file)` is the file's text.
  if (args.length === 0) return keep(node.redirects.some((one) => one.operator === "<") ? inner.stdin : "")
  const printed = walker.command(args, inner, part)
  frame.vars.set("_", args.slice(-1))
  // `cd` moves the shell itself, and `export` tells all that follows.
  frame.cwd = inner.cwd
  if (node.prefix.length === 0) frame.settings = inner.settings
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

/** The words of `for x in …`, with each of the values that they may have; without any it is `"$@"`, which anybody may give. */
export function expandList(list: readonly Word[] | undefined, frame: Frame, sub: Substitute): string[] {
  if (list === undefined) return [UNKNOWN]
  const text = list.map((word) => frame.source.slice(word.pos, word.end)).join(" ")
  const frames = [...otherFrames(text, frame), frame]
  return list.flatMap((word) => frames.flatMap((one) => expandWord(word, one, sub)))
}

/** Runs every `$(…)` below a node that is no command itself. */
export function walkNested(node: SyntaxNode, frame: Frame, walker: Walker): void {
  if (node.type === "CommandExpansion" || node.type === "ArithmeticCommandExpansion")
    walker.substitute.output(node.script, node.text, frame)
  else if (walker.step()) forEachChild(node, (inner) => walkNested(inner, frame, walker))
}

const MAX_NAMES = 100
