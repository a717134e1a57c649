import { type Command, forEachChild, parse, type SyntaxNode } from "unbash"
import { isCostlyToParse } from "../../shared/shell/parse-cost.ts"

/**
 * Does a command leave something running, whose end nobody sees: `x &`, `(x &)`, `x & wait`, `setsid x`, `sh -c 'x &'`? One
 * that is too long to be read may.
 */
export function runsInBackground(command: string, depth = 0): boolean {
  if (command.length > MAX_CHARS || depth > MAX_DEPTH) return true
  if (DETACHES.test(command)) return true
  // A sign between quotes or in `&&` and `2>&1` means nothing; without any there is nothing to parse.
  if (!SIGNS.test(command)) return false
  // A text that a shell gets in a roundabout way is not followed.
  if (INDIRECT.test(command) && LONE.test(command)) return true
  const isHere = (node: SyntaxNode) => isInBackground(node, depth)
  if (isCostlyToParse(command)) return LONE.test(command)
  try {
    const { commands, errors = [] } = parse(command)
    return errors.length > 0 ? LONE.test(command) : commands.some(isHere)
  } catch {
    return LONE.test(command) // Nested beyond the parser's stack.
  }
}

function isInBackground(node: SyntaxNode, depth: number): boolean {
  if (node.type === "Statement" && node.background === true) return true
  if (node.type === "Coproc" || (node.type === "Command" && leaves(node, depth))) return true
  if (node.type === "CommandExpansion" && node.script?.commands.some((one) => isInBackground(one, depth)))
    return true
  let found = false
  forEachChild(node, (child) => {
    found ||= isInBackground(child, depth)
  })
  return found
}

/** By the program's name, also behind others that run it (`env setsid x`), or by the text that a shell is given. */
function leaves({ name, args }: Command, depth: number): boolean {
  const words = [name?.value ?? "", ...args.map((arg) => (arg.type === "Word" ? arg.value : ""))]
  const programs = words.map((word) => word.slice(word.lastIndexOf("/") + 1))
  const [first = ""] = programs
  if (LEAVES.test(first)) return true
  if (RUNS_ANOTHER.test(first) && programs.some((program) => LEAVES.test(program))) return true
  const shell = programs.findIndex((program) => SHELLS.test(program))
  if (shell !== 0 && !(shell > 0 && RUNS_ANOTHER.test(first))) return false
  const texts = words.slice(shell + 1)
  // The words of `eval` are one text.
  return [...texts, ...(programs[shell] === "eval" ? [texts.join(" ")] : [])].some((text) =>
    runsInBackground(text, depth + 1),
  )
}

/** They start it and come back at once. */
const DETACHES =
  /\b(sudo\s+(-\w+\s+)*-[ABEHKPSVikns]*b\w*|ssh\s+(-\w+\s+([^\s;|&-][^\s;|&]*\s+(?=-))?)*-[46ACGKMNTVXYagknqstvxy]*f\w*|screen\s+-\w*d\w*|tmux\s+new\S*\s+([^\s;|&]+\s+)*-[ADEPX]*d\w*|systemd-run)\b/
const SIGNS = /&|\b(setsid|coproc|disown|bg|daemonize|start-stop-daemon)\b/
const LEAVES = /^(setsid|disown|bg|daemonize|start-stop-daemon)$/
const SHELLS = /^(sh|bash|zsh|dash|ksh|mksh|ash|eval)$/
const RUNS_ANOTHER = /^(env|sudo|doas|nohup|nice|ionice|time|timeout|stdbuf|command|builtin|exec|xargs)$/
const INDIRECT =
  /\b(eval|trap)\s|\|\s*(ba|z|da|k)?sh\b|(^|[\s;&|(])(ba|z|da|k)?sh\b[^|;&\n]*<<|-exec(dir)?\s+(ba|z|da|k)?sh\b/
const LONE = /(^|[^&>|<])&(?![&>])/
const MAX_CHARS = 12_000
const MAX_DEPTH = 8
