import { posix } from "node:path"
import { isMadeByName } from "./made-files.ts"
import { displayPath, resolvePath } from "./paths.ts"
import type { Call } from "./program.ts"
import { judgeReplacement } from "./replaces.ts"

/**
 * Most programs say `-o` or `--output` for what they write. A value without a dot or a slash is a format or a setting far
 * more often than a file. What such an option has made it makes again: of files that git does not know, only those are
 * asked about that people write. A file that the command names a second time is most likely read first: then it is an edit.
 * Answers whether there is such an option.
 */
export function judgeOutput({ name: program, args, frame, run }: Call): boolean {
  if (OTHER_MEANING.test(program)) return false
  const words = args.slice(0, MAX_WORDS)
  let left = MAX_OUTPUTS
  for (const [at, word] of words.entries()) {
    const found = OUTPUT.exec(word) ?? GLUED.exec(word)
    if (found === null) continue
    const given = found[1]
    const value = given ?? words[at + 1] ?? ""
    if (!isFile(value) || left-- <= 0) continue
    run.writes(value, frame)
    const path = resolvePath(value, frame, run)
    const isValue = (n: number) => n === at || (given === undefined && n === at + 1)
    const name = posix.basename(path)
    const isEdit = words.some(
      (one, n) => !isValue(n) && one.endsWith(name) && resolvePath(one, frame, run) === path,
    )
    if (isEdit || isMadeByName(displayPath(path, run.project) ?? "")) continue
    judgeReplacement(value, frame, run, { ...askedOf(value), step: args.join(" ") })
  }
  return left < MAX_OUTPUTS
}

/** Of what git does not know, only what people write is asked about. */
export function askedOf(file: string): { only?: "tracked" } {
  return BY_HAND.test(file) ? {} : { only: "tracked" }
}

function isFile(value: string): boolean {
  return /[./]/.test(value) && !/^-|^[\w.-]+=|^[\d.]+$|:\/\/|\n/.test(value)
}

const OUTPUT =
  /^(?:-o|--?(?:\w+[-_])?out(?:put)?(?:[-_]?(?:[fF]ile|[pP]ath|[dD]ir(?:ectory)?|[fF]older))?|--result-file)(?:=(.*))?$/s
const GLUED = /^-o([^-=\s][^=\s]*)$/
/** The folder or the file that it takes for old. */
const OTHER_MEANING = /^g?make$/
const BY_HAND =
  /\.(?:mdx?|txt|rst|adoc|tex|[cm]?tsx?|jsx|pyi?|rb|go|rs|[ch](?:pp|c|xx)?|hh|java|kts?|scala|swift|cs|fs|php|pl|lua|ex|exs|sh|sql|vue|svelte|ya?ml|toml|ini|conf|ipynb)$/i
const MAX_WORDS = 500
const MAX_OUTPUTS = 4
