import { forEachChild, parse, type SyntaxNode } from "unbash"

/** Does a command leave something running, whose end nobody sees: `x &`, `(x &)`, `x & wait`, `setsid x`? */
export function runsInBackground(command: string): boolean {
  // A sign between quotes or in `&&` and `2>&1` means nothing; without any there is nothing to parse.
  if (!/&|\b(setsid|coproc|disown|bg)\b/.test(command)) return false
  try {
    const { commands, errors = [] } = parse(command.slice(0, MAX_CHARS))
    return errors.length > 0 ? LONE.test(command) : commands.some(isInBackground)
  } catch {
    return LONE.test(command) // Nested beyond the parser's stack.
  }
}

function isInBackground(node: SyntaxNode): boolean {
  if (node.type === "Statement" && node.background === true) return true
  if (node.type === "Coproc" || (node.type === "Command" && LEAVES.test(node.name?.value ?? ""))) return true
  if (node.type === "CommandExpansion" && node.script?.commands.some(isInBackground)) return true
  let found = false
  forEachChild(node, (child) => {
    found ||= isInBackground(child)
  })
  return found
}

const LEAVES = /^(setsid|disown|bg|daemonize|start-stop-daemon)$/
const LONE = /(^|[^&>|<])&(?![&>])/
const MAX_CHARS = 12_000
