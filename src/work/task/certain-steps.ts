import type { AndOr, Pipeline, Statement, SyntaxNode } from "unbash"
import { type ShellOptions, wordsOf } from "./shell-words.ts"

/** One command of a text: its words as the shell hands them over, the program first. */
export interface Step {
  words: readonly string[]
  /** It stands behind a pipe, and reads what another prints. */
  isReader: boolean
}

export interface Steps {
  all: readonly Step[]
  /** Those that have succeeded for sure where the whole ends with 0. */
  certain: readonly Step[]
}

interface Shell extends ShellOptions {
  /** Before `&&` and `||` the shell does not end where something fails, whatever is set. */
  isIgnored: boolean
}

interface ReadText {
  text: string
  /** What each simple command in it stands for. */
  steps: ReadonlyMap<SyntaxNode, Steps>
}

/** Which steps have succeeded for sure where the list ends with 0; undefined where it may end before its end. */
export function certainIn(
  list: readonly Statement[],
  read: ReadText,
  options: ShellOptions,
): Step[] | undefined {
  // What is switched off again may be off at any place.
  const isFixed = [...read.steps.values()].some(({ all }) => all.some(({ words }) => unsets(words)))
  const ended = new Set<SyntaxNode>()
  const certain = ofList(list, { ...(isFixed ? OFF : options), isIgnored: false })
  const isEnd = (node: SyntaxNode) => {
    const [program = "", code = ""] = wordsAt(node)
    return /^(exit|return)$/.test(program) && !FAILURE.test(code)
  }
  return [...read.steps.keys()].some((node) => isEnd(node) && !ended.has(node)) ? undefined : certain

  function ofList(statements: readonly Statement[], from: Shell): Step[] {
    const at = deciding(statements)
    let now = from
    const found = statements.slice(0, Math.max(at, 0)).flatMap(({ command }) => {
      now = after(command, now)
      return whenGoneOn(command, now)
    })
    return [...found, ...of(statements[at]?.command, now)]
  }

  /** Which one's exit is the list's: the last, or the one whose exit the last hands on (`s=$?; …; exit $s`). */
  function deciding(statements: readonly Statement[]): number {
    const at = statements.length - 1
    const last = statements[at]
    const [program, code = "$?"] = wordsAt(last?.command)
    if (last === undefined || program !== "exit" || FAILURE.test(code)) return at
    const [, name] = /^\$\{?(\w+|\?)\}?$/.exec(code) ?? []
    if (name === undefined) return at
    if (name !== "?") {
      const kept = statements.findLastIndex(({ command }) => isKept(command, name))
      const between = kept === -1 ? "" : read.text.slice(statements[kept]?.end, last.pos)
      if (kept < 1 || readsFile(statements[kept]?.end ?? 0)) return at
      if (new RegExp(`(?<![$\\w]|\\$\\{)${name}(?!\\w)`).test(between)) return at
      ended.add(last.command)
      return kept - 1
    }
    ended.add(last.command)
    return at - 1
  }

  /** What is in there may set any variable. */
  function readsFile(from: number): boolean {
    return [...read.steps].some(
      ([{ pos }, { all }]) =>
        pos >= from && all.some(({ words: [program = ""] }) => /^(\.|source)$/.test(program)),
    )
  }

  function of(node: SyntaxNode | undefined, now: Shell): readonly Step[] {
    switch (node?.type) {
      case "Command":
      case "TestCommand":
        return read.steps.get(node)?.certain ?? []
      case "Redirected":
        return of(node.command, now)
      case "Subshell":
        return ofList(node.body.commands, now)
      case "BraceGroup":
        return ofGroup(node.body.commands, now)
      case "Pipeline":
        return ofPipe(node, now)
      case "AndOr":
        return ofChain(node, now)
      default:
        // Which way a condition or a loop goes, nobody knows.
        return []
    }
  }

  function ofPipe({ commands, prefixes }: Pipeline, now: Shell): readonly Step[] {
    if (prefixes.some(({ type }) => type === "Negation")) return []
    return now.isPipefail ? commands.flatMap((stage) => of(stage, now)) : of(commands.at(-1), now)
  }

  function ofChain({ commands, operators }: AndOr, from: Shell): Step[] {
    let now: Shell = { ...from, isStrict: false, isIgnored: true }
    let found: readonly Step[] = []
    let fails = false
    commands.forEach((command, at) => {
      const own = of(command, at === commands.length - 1 ? { ...from, isPipefail: now.isPipefail } : now)
      const alwaysFails = neverPasses(command) || (operators[at - 1] === "||" && handsOn(command))
      if (at === 0) [found, fails] = [own, alwaysFails]
      else if (operators[at - 1] === "&&") [found, fails] = [[...found, ...own], fails || alwaysFails]
      else if (!alwaysFails) [found, fails] = [fails ? own : [], false]
      now = after(command, now)
    })
    return [...found]
  }

  /** What has succeeded where the statement behind this one runs. */
  function whenGoneOn(node: SyntaxNode, now: Shell): readonly Step[] {
    if (node.type === "AndOr") {
      const last = node.commands.at(-1)
      const isGuard =
        node.operators.at(-1) === "||" && last !== undefined && (endsWithFailure(last) || handsOn(last))
      return isGuard ? ofChain(node, now) : []
    }
    // In a group, what fails may have been in a chain.
    const inner = node.type === "Redirected" ? node.command : node
    return now.isStrict && inner.type !== "BraceGroup" ? of(inner, now) : []
  }

  /** An exit in a group is the whole shell's: it is not taken for the group's own. */
  function ofGroup(statements: readonly Statement[], now: Shell): readonly Step[] {
    const [program] = wordsAt(statements.at(-1)?.command)
    return program === "exit" ? [] : ofList(statements, now)
  }

  function neverPasses(node: SyntaxNode | undefined): boolean {
    if (node?.type === "Subshell" || node?.type === "BraceGroup")
      return neverPasses(node.body.commands.at(-1)?.command)
    if (node?.type === "AndOr") return !node.operators.includes("||") && node.commands.some(neverPasses)
    const [program = "", code = ""] = wordsAt(node)
    return program === "false" || (/^(exit|return)$/.test(program) && FAILURE.test(code))
  }

  /** `cd app || exit`: with the failure of what stands before. */
  function handsOn(node: SyntaxNode): boolean {
    const [program, code = "$?"] = wordsAt(node)
    const isIt = program === "exit" && code === "$?"
    if (isIt) ended.add(node)
    return isIt
  }

  function endsWithFailure(node: SyntaxNode): boolean {
    if (node.type === "BraceGroup") {
      const last = node.body.commands.at(-1)
      return last !== undefined && endsWithFailure(last.command)
    }
    const [program, code = ""] = wordsAt(node)
    return program === "exit" && FAILURE.test(code)
  }

  function after(node: SyntaxNode, now: Shell): Shell {
    const [program, ...words] = wordsAt(node)
    if (program !== "set" || isFixed) return now
    const text = words.join(" ")
    return {
      ...now,
      isStrict: now.isStrict || (!now.isIgnored && /(^| )-[a-z]*e|-[a-z]*o errexit/.test(text)),
      isPipefail: now.isPipefail || /-[a-z]*o pipefail/.test(text),
    }
  }

  function wordsAt(node: SyntaxNode | undefined): readonly string[] {
    return node?.type === "Command" ? (wordsOf(node) ?? []) : []
  }
}

/** `name=$?` and nothing else. */
function isKept(node: SyntaxNode, name: string): boolean {
  if (node.type !== "Command" || node.name !== undefined) return false
  const [first, ...others] = node.prefix
  return others.length === 0 && first?.type === "Assignment" && first.text === `${name}=$?`
}

function unsets([program, ...words]: readonly string[]): boolean {
  return program === "set" && words.some((word) => word.startsWith("+"))
}

/** An exit that cannot be taken for a success: the shell takes it modulo 256. */
const FAILURE = /^([1-9]\d?|1\d\d|2[0-4]\d|25[0-5])$/
const OFF: ShellOptions = { isStrict: false, isPipefail: false }
