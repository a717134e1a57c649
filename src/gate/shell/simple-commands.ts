import { type Command, forEachChild, parse, type SyntaxNode } from "unbash"
import { isCostlyToParse } from "../../shared/shell/parse-cost.ts"

/** One command of a command line: a program with its words, as they were written. */
export interface SimpleCommand {
  text: string
  /** The program and its arguments; assignments in front and redirections left out. */
  words: readonly string[]
}

/**
 * Every command that a line of shell contains, at any depth: in chains, pipes, loops, functions and substitutions. What
 * cannot be parsed is cut at whatever could separate commands, and comes as a whole too.
 */
export function simpleCommands(line: string): SimpleCommand[] {
  const found: SimpleCommand[] = []
  if (!collect(line, found)) found.push(...cutUp(line))
  return found
}

/** False if the text could not be read to its end. */
function collect(source: string, found: SimpleCommand[]): boolean {
  if (isCostlyToParse(source)) return false
  let isWhole = true

  function visit(node: SyntaxNode, text: string): void {
    if (node.type === "Command" && node.name !== undefined) found.push(readCommand(node, text))
    if (isSubstitution(node)) {
      const { script } = node
      if (script === undefined) isWhole = collect(inside(node.text), found) && isWhole
      else for (const each of script.commands) visit(each, script.source ?? text)
      return
    }
    forEachChild(node, (child) => visit(child, text))
  }

  try {
    const script = parse(source)
    for (const each of script.commands) visit(each, source)
    return isWhole && (script.errors ?? []).length === 0
  } catch {
    return false // The parser recurses: the text is nested beyond its stack.
  }
}

function readCommand({ name, args, pos, end }: Command, source: string): SimpleCommand {
  const words = [name, ...args].flatMap((each) => (each?.type === "Word" ? [each.value] : []))
  return { text: source.slice(pos, end).trim(), words }
}

function isSubstitution(node: SyntaxNode) {
  return (
    node.type === "CommandExpansion" ||
    node.type === "ArithmeticCommandExpansion" ||
    node.type === "ProcessSubstitution"
  )
}

/** The text of a `$(…)`, `` `…` `` or `<(…)` without its frame. */
function inside(text: string): string {
  return text.replace(/^(\$\(|`|[<>]\()/, "").replace(/[)`]$/, "")
}

function cutUp(line: string): SimpleCommand[] {
  const parts = [line, ...line.split(/[;|&\n(){}`]+/)]
    .map((part) => part.trim())
    .filter((part) => part !== "")
  return [...new Set(parts)].map((text) => ({ text, words: text.split(/\s+/) }))
}
