import { type Command, forEachChild, parse, type Redirection, type SyntaxNode } from "unbash"
import { isCostlyToParse } from "../../shared/shell/parse-cost.ts"
import { expandWord, UNKNOWN, type Variables } from "./expand-word.ts"

/** One command of a command line: a program with its arguments, its redirections and where it runs. */
export interface SimpleCommand {
  text: string
  /** The program and its arguments, unquoted. A variable that the command line does not set is UNKNOWN. */
  args: readonly string[]
  outputs: readonly { path: string; isAppended: boolean }[]
  /** The standard input, if the text shows it: a here-document, a here-string, or the output of `echo`. */
  input: string
  /** The earlier commands of the same pipe. */
  upstream: readonly SimpleCommand[]
  /** The working folder: absolute or relative to the first command's; UNKNOWN after `cd "$X"`. */
  cwd: string
  /** The command runs in a container or on another machine. */
  isElsewhere: boolean
  variables: Variables
}

/** The context of a piece of shell text. A `cd` changes it for the commands that follow. */
export type Scope = Pick<SimpleCommand, "cwd" | "isElsewhere" | "input" | "upstream" | "variables">

/**
 * Every command of a command line, in order and at any depth: in chains, pipes, loops, functions, substitutions and
 * every branch. `isWhole` is false if the text could not be parsed to its end.
 */
export function simpleCommands(source: string, scope = newScope(".")) {
  const commands: SimpleCommand[] = []
  return { commands, isWhole: collect(source, scope, commands) }
}

export function newScope(cwd: string): Scope {
  return { cwd, isElsewhere: false, input: "", upstream: [], variables: new Map() }
}

/** For text that the parser rejects: splits at every character that may separate commands, so it may find too many. */
export function splitRoughly(line: string, scope = newScope(".")): SimpleCommand[] {
  const parts = new Set([line, ...line.split(/[;|&\n(){}`]+/)].map((part) => part.trim()))
  parts.delete("")
  return firstAndLast([...parts], MAX_PIECES).map((text) => {
    const args = text.split(/\s+/).map((word) => word.replaceAll(/["']/g, "").replaceAll(/\$\w*/g, UNKNOWN))
    return { ...scope, text, args, outputs: [] }
  })
}

/** At most `max` items of a list: three quarters from its beginning, the others from its end. */
export function firstAndLast<T>(list: readonly T[], max: number): readonly T[] {
  return list.length <= max ? list : [...list.slice(0, max - max / 4), ...list.slice(-max / 4)]
}

/** Removes the text of quoted here-documents, which contain no substitutions and may be as long as files. */
export function withoutHereDocuments(text: string): string {
  if (text.split("<<").length > MAX_HERE_DOCUMENTS) return text
  return text.replaceAll(/<<-?\s?(['"])(\w+)\1([^\n]*)\n[\s\S]*?\n\s*\2(?=\n|$)/g, "<<$2$3")
}

function collect(source: string, scope: Scope, found: SimpleCommand[]): boolean {
  if (isCostlyToParse(withoutHereDocuments(source))) return false
  let isWhole = true

  function visit(node: SyntaxNode, text: string, inner: Scope, redirects: readonly Redirection[]): void {
    switch (node.type) {
      case "Command":
        forEachChild(node, (child) => visit(child, text, inner, []))
        run(node, text, inner, redirects)
        return
      case "Pipeline":
        visitPipe(node.commands, text, inner, redirects)
        return
      case "Redirected":
        forEachChild(node, (child) => visit(child, text, inner, [...redirects, ...node.redirects]))
        return
      case "CommandExpansion":
      case "ArithmeticCommandExpansion":
      case "ProcessSubstitution": {
        const inside = node.text.replace(/^(\$\(|`|[<>]\()/, "").replace(/[)`]$/, "")
        isWhole &&= collect(inside, { ...inner, input: "", upstream: [] }, found)
        return
      }
      case "For":
      case "Select":
        for (const word of node.wordlist ?? [])
          for (const value of expandWord(word, inner.variables)) remember(inner, node.name.value, value)
        break
    }
    const body = OWN_FOLDER.has(node.type) ? { ...inner } : inner
    forEachChild(node, (child) => visit(child, text, body, redirects))
  }

  function visitPipe(stages: readonly SyntaxNode[], text: string, outer: Scope, to: readonly Redirection[]) {
    const from = found.length
    for (const stage of stages) {
      const upstream = found.slice(Math.max(from, found.length - MAX_UPSTREAM))
      const input = printedBy(upstream.at(-1))
      visit(stage, text, stages.length === 1 ? outer : { ...outer, upstream, input }, to)
    }
  }

  function run(node: Command, text: string, inner: Scope, outer: readonly Redirection[]): void {
    for (const one of node.prefix) assigned(one, inner)
    const redirects = [...outer, ...node.redirects]
    const args = [node.name, ...node.args].flatMap((one) => {
      if (one?.type === "Word") return expandWord(one, inner.variables)
      return one === undefined ? [] : assigned(one, inner).map(([name, value]) => `${name}=${value}`)
    })
    if (node.name === undefined && redirects.length === 0) return
    const outputs = redirects.flatMap((one) => outputsOf(one, inner))
    const input = redirects.map((one) => inputOf(one, inner)).find((one) => one !== "") ?? inner.input
    found.push({ ...inner, text: text.slice(node.pos, node.end).trim(), args, outputs, input })
    inner.cwd = folderAfter(args, inner.cwd)
  }

  try {
    const script = parse(source)
    for (const each of script.commands) visit(each, source, scope, [])
    return isWhole && (script.errors ?? []).length === 0
  } catch {
    return false // Text that is nested very deeply overflows the parser's stack.
  }
}

/** Records an assignment. Values are never replaced, as branches may not run: a variable may have several. */
function assigned(node: SyntaxNode, scope: Scope): [string, string][] {
  if (node.type !== "Assignment") return []
  const words = node.value.type === "ArrayValue" ? node.value.elements : [node.value]
  const isFull = (scope.variables.get(node.name)?.length ?? 0) >= MAX_VALUES
  const values =
    node.append || isFull ? [UNKNOWN] : words.flatMap((word) => expandWord(word, scope.variables))
  for (const value of values.length === 0 ? [""] : values) remember(scope, node.name, value)
  return [[node.name, values.join(" ")]]
}

function remember({ variables }: Scope, name: string, value: string): void {
  const values = variables.get(name) ?? []
  if (values.length < MAX_VALUES && !values.includes(value)) variables.set(name, [...values, value])
}

function outputsOf(node: Redirection, scope: Scope): SimpleCommand["outputs"] {
  if (node.type !== "Redirect" || node.target === undefined || !node.operator.includes(">")) return []
  if (node.operator === ">&" && /^(\d+|-)$/.test(node.target.value)) return []
  const isAppended = node.operator.includes(">>") || node.operator === "<>"
  return expandWord(node.target, scope.variables).map((path) => ({ path, isAppended }))
}

function inputOf(node: Redirection, scope: Scope): string {
  if (node.type === "HereDoc") return node.body.text
  return node.type === "HereString" && node.target !== undefined
    ? expandWord(node.target, scope.variables).join(" ")
    : ""
}

/** The output of `echo` and `cat <<EOF`, which is the input of the next command in the pipe. */
function printedBy(command: SimpleCommand | undefined): string {
  const [program = "", ...words] = command?.args ?? []
  if (program === "echo" || program === "printf") return words.filter((one) => !/^-\w+$/.test(one)).join(" ")
  return program === "cat" || program === "tee" ? (command?.input ?? "") : ""
}

/** The working folder after a command: `cd` and `pushd` change it. */
function folderAfter([program, ...words]: readonly string[], cwd: string): string {
  if (program !== "cd" && program !== "pushd") return cwd
  const [folder = "~"] = words.filter((word) => !/^-[LPe@]+$|^--$/.test(word))
  if (folder.includes(UNKNOWN) || folder === "-") return UNKNOWN
  if (folder.length + cwd.length > MAX_FOLDER_CHARS) return UNKNOWN
  return /^[/~]/.test(folder) ? folder : `${cwd}/${folder}`
}

const OWN_FOLDER = new Set(["Subshell", "Function", "Coproc"])
const MAX_VALUES = 12
const MAX_UPSTREAM = 8
const MAX_FOLDER_CHARS = 1024
const MAX_PIECES = 300
const MAX_HERE_DOCUMENTS = 20
