import type { Redirection } from "unbash"
import type { Frame } from "./frame.ts"
import { UNKNOWN } from "./unknown-text.ts"
import type { Walker } from "./walker.ts"
import { expandJoined, expandQuoted } from "./word-expansion.ts"

/**
 * Applies a command's redirections: written files are reported, and `frame.stdin` becomes what the command reads. The
 * returned function takes what the command prints and returns what of it is left for the pipe.
 */
export function redirect(
  redirections: readonly Redirection[],
  frame: Frame,
  walker: Walker,
  part: string,
): (printed: string) => string {
  const files: { path: string; append: boolean }[] = []
  for (const one of redirections) {
    if (one.type === "HereDoc") {
      const { text, parts } = one.body
      frame.stdin = parts === undefined ? text : expandQuoted(parts, frame, walker.substitute)
      continue
    }
    if (one.target === undefined) continue
    const target = expandJoined(one.target, frame, walker.substitute)
    if (one.type === "HereString") {
      frame.stdin = `${target}\n`
      continue
    }
    if (one.operator === "<") frame.stdin = walker.readFile(target, frame)
    else if (one.operator === "<&") frame.stdin = UNKNOWN
    else if (one.operator !== ">&" || !/^(\d+|-|\d+-)$/.test(target)) {
      const descriptor = one.descriptor?.type === "FileDescriptor" ? one.descriptor.value : undefined
      // `1<> f` writes over the file from its beginning; without a number it is read.
      const isRead = one.operator === "<>" && descriptor !== 1 && descriptor !== 2
      walker.writes(target, frame, part, !one.operator.endsWith(">>") && !isRead)
      const isStdout = one.descriptor === undefined || descriptor === 1
      if (isStdout && one.operator !== "<>") files.push({ path: target, append: one.operator.endsWith(">>") })
    }
  }
  return (printed) => {
    if (files.length === 0) return printed
    for (const { path, append } of files)
      walker.keepFile(path, append ? walker.readFile(path, frame) + printed : printed, frame)
    return ""
  }
}
