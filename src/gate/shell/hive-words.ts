import type { Frame } from "./frame.ts"
import { isInHive, resolvePath } from "./paths.ts"
import type { Call, Run } from "./program.ts"

/**
 * What changes in HiveMind's own folder is not seen afterwards. So a program that is not known to only read counts as one
 * that writes there where it could be told to: by the value of an option, and by its last word, which most programs take
 * for what they make. With an option for that (`hasOutput`) the other words are what they read. `first` is how many words
 * come before those: an interpreter's script.
 */
export function judgeHiveWords({ name, args, frame, run }: Call, hasOutput: boolean, first = 0): void {
  const words = args.slice(0, MAX_WORDS)
  const plain = words.flatMap((word, at) => (word.startsWith("-") ? [] : [at]))
  const last = plain.length > first ? plain.at(-1) : undefined
  for (const [at, word] of words.entries()) {
    if (!mayMean(word, frame, run)) continue
    const [, glued, value = word] = WITH_VALUE.exec(word) ?? []
    const before = words[at - 1] ?? ""
    const option = glued ?? (/^-[^=]*$/.test(before) ? before : undefined)
    if (option === undefined ? hasOutput || at !== last : READS.test(option) && name !== "ssh-keygen")
      continue
    // `type=local,dest=x` has the path in one of its pieces.
    for (const piece of value.split(/[=,]/))
      if (!piece.startsWith("!") && isInHive(resolvePath(piece, frame, run))) run.writes(piece, frame)
  }
}

/** A text for people, code, an address and a bare name are no path; a pattern that could be any folder is a test's or a search's. */
function mayMean(word: string, frame: Frame, run: Run): boolean {
  if (frame.elsewhere || /[\s'"()]|:\/\//.test(word)) return false
  return /\.hive/i.test(word) || (/[./]/.test(word) && (run.links.size > 0 || isInHive(frame.cwd)))
}

const WITH_VALUE = /^(-{0,2}\w[\w-]*=|-\w)(.+)$/s
/** Options for what is read or left out, and some that take no value. */
const READS =
  /exclude|ignore|skip|input|config|from|env|body|data|upload|source|schema|filter|include|^-[cfFiITrRavq]+$/i
const MAX_WORDS = 500
