import { childFrame, type Frame } from "./frame.ts"
import { setOf } from "./options.ts"
import type { Run } from "./program.ts"
import { DOWNLOADED, UNKNOWN } from "./unknown-text.ts"

/**
 * For text that no parser accepts: reads it word by word in one pass, every quote and bracket at its least harmless.
 * It sees too much rather than too little.
 */
export function judgeUnparsable(text: string, frame: Frame, run: Run): void {
  let args: string[] = []
  let word: string | undefined
  let passed = ""
  let target = false
  const endWord = () => {
    if (word === undefined) return
    if (target) run.writes(word, frame)
    else if (args.length > 0 || !(RESERVED.has(word) || /^\w+=/.test(word))) args.push(word)
    target = false
    word = undefined
  }
  const endCommand = (pipes: boolean) => {
    endWord()
    if (args.length > 0) {
      const printed = run.runProgram(withJoinedCode(args), childFrame(frame, { stdin: passed }))
      passed = pipes ? printed : ""
    } else if (!pipes) passed = ""
    args = []
  }
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? ""
    if (char === "\\") word = (word ?? "") + (text[++at] ?? "")
    else if (char === "'" || char === '"') word ??= ""
    else if (char === " " || char === "\t" || char === "\r") endWord()
    else if (char === ">") {
      endWord()
      target = text[at + 1] !== "&"
    } else if (char === "|") endCommand(text[at + 1] !== "|" && text[at - 1] !== "|")
    else if (BREAKS.has(char)) endCommand(false)
    else if (char === "$") word = (word ?? "") + UNKNOWN
    else word = (word ?? "") + (char === DOWNLOADED ? UNKNOWN : char)
  }
  endCommand(false)
}

/** Without quotes, all after `sh -c` or `psql -c` is what they run. */
function withJoinedCode(args: readonly string[]): readonly string[] {
  const option = args.findIndex((arg) => /^-[a-z]*[ce]$/.test(arg))
  return option === -1 ? args : [...args.slice(0, option + 1), args.slice(option + 1).join(" ")]
}

const BREAKS = new Set(["\n", ";", "&", "(", ")", "{", "}", "`", "<"])
const RESERVED = setOf("if then else elif do while until ! time in fi done")
