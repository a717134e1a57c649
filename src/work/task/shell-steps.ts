import { type Command, forEachChild, type Pipeline, parse, type Statement, type SyntaxNode } from "unbash"
import { isCostlyToParse } from "../../shared/shell/parse-cost.ts"
import { certainIn, type Step, type Steps } from "./certain-steps.ts"
import { mayMeanAnything, type ShellOptions, shellText, wordsOf } from "./shell-words.ts"

/** The commands of a shell text; undefined where nobody can tell what its exit comes from. */
export function stepsOf(text: string, options: ShellOptions = NONE, depth = 0): Steps | undefined {
  if (depth > MAX_DEPTH || isCostlyToParse(text)) return undefined
  try {
    const { commands, errors = [] } = parse(text)
    if (errors.length > 0) return undefined
    const read = readAll(commands, depth)
    if (read === undefined) return undefined
    const certain = certainIn(commands, { steps: read, text }, options)
    return certain && { all: [...read.values()].flatMap(({ all }) => all), certain }
  } catch {
    return undefined // Nested beyond the parser's stack.
  }
}

/** What each simple command stands for: itself, or what is in the text that it gives to a shell. */
function readAll(commands: readonly Statement[], depth: number): Map<SyntaxNode, Steps> | undefined {
  const found = new Map<SyntaxNode, Steps>()
  const visit = (node: SyntaxNode, isReader: boolean): boolean => {
    // In the background nobody sees how it ends; a function may be called like any program.
    if (node.type === "Function" || node.type === "Coproc") return false
    if (node.type === "Statement" && node.background === true) return false
    if (node.type === "TestCommand") return keep(found, node, { words: ["[["], isReader })
    if (node.type === "Command") return readCommand(node, isReader)
    if (node.type === "Pipeline")
      return node.commands.every((stage, at) => visit(stage, isReader || isFed(node, at)))
    return children(node).every((child) => visit(child, isReader))
  }
  const readCommand = (node: Command, isReader: boolean): boolean => {
    const words = wordsOf(node)
    if (words === undefined || mayMeanAnything(node, words)) return false
    const shell = shellText(node, words)
    if (shell === undefined) return words.length === 0 || keep(found, node, { words, isReader })
    if (shell === "unread") return false
    const inner = stepsOf(shell.text, shell.options, depth + 1)
    if (inner !== undefined) found.set(node, isReader ? { all: inner.all, certain: [] } : inner)
    return inner !== undefined
  }
  return commands.every((one) => visit(one, false)) ? found : undefined
}

function keep(found: Map<SyntaxNode, Steps>, node: SyntaxNode, step: Step): true {
  found.set(node, { all: [step], certain: [step] })
  return true
}

/** A program reads what the stages before it print, unless they only give an answer: `yes | x`, `echo y | x`. */
function isFed({ commands }: Pipeline, at: number): boolean {
  return commands.slice(0, at).some((stage) => {
    const name = stage.type === "Command" ? stage.name?.value : undefined
    return name === undefined || !/^(yes|echo|printf|cat)$/.test(name)
  })
}

/** But for words: what a substitution runs has no part in the exit. */
function children(node: SyntaxNode): SyntaxNode[] {
  const found: SyntaxNode[] = []
  forEachChild(node, (child) => {
    if (child.type !== "Word") found.push(child)
  })
  return found
}

const NONE: ShellOptions = { isStrict: false, isPipefail: false }
const MAX_DEPTH = 3
