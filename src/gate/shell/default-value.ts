import type { AndOr, Command, If, SyntaxNode } from "unbash"

/**
 * `[ -n "$B" ] || B=build`, `[ -z "$B" ] && B=build`, `if [ -z "$B" ]; then B=build; fi`: the same as `${B:=build}`. Returns
 * the variable, and the part that sets it.
 */
export function defaultSet(node: AndOr | If): { name: string; set: Command } | undefined {
  if (node.type === "AndOr") {
    const [test, set] = node.commands
    if (node.commands.length !== 2) return undefined
    return pairOf(test, set, node.operators[0] === "||" ? "-n" : "-z")
  }
  if (node.elif.length > 0 || node.else !== undefined) return undefined
  return pairOf(only(node.clause), only(node.then), "-z")
}

function pairOf(test: SyntaxNode | undefined, set: SyntaxNode | undefined, sign: "-n" | "-z") {
  if (test?.type !== "Command" || set?.type !== "Command") return undefined
  const words = [test.name, ...test.args].map((one) => (one?.type === "Word" ? one.text : ""))
  const [, name] = /^(?:\[|test) (-[nz]) "?\$\{?(\w+)\}?"?(?: \])?$/.exec(words.join(" "))?.slice(1) ?? []
  const [assignment, ...others] = set.prefix
  const isSet =
    words[1] === sign &&
    set.name === undefined &&
    others.length === 0 &&
    set.redirects.length === 0 &&
    assignment?.type === "Assignment" &&
    assignment.name === name &&
    !assignment.append
  return isSet && name !== undefined ? { name, set } : undefined
}

function only({ commands }: If["clause"]): SyntaxNode | undefined {
  const [one, ...others] = commands
  return others.length > 0 || one?.background ? undefined : one?.command
}
