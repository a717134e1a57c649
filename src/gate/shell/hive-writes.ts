import { isInHive, type Places, resolvePath } from "./paths.ts"
import type { SimpleCommand } from "./syntax-tree.ts"

/**
 * Words of a program that lead into HiveMind's folder. Nothing watches that folder afterwards, so a program that is not
 * known to only read counts as one that writes there. Options for input and for what is left out do not count;
 * `onlyOptions`: the other words are known to be read.
 */
export function wordsInHive(
  program: string,
  command: SimpleCommand,
  places: Places,
  onlyOptions: boolean,
): string[] {
  const words = command.args.slice(1, MAX_WORDS)
  const isThere = (word: string) => isInHive(resolvePath(word, command.cwd, places))
  const isCopy = COPIES.test(program) && (!/^(docker|podman|kubectl)$/.test(program) || words.includes("cp"))
  const hasOutput = onlyOptions || words.some((word) => /^(-o|--output|--out)(=|$)/.test(word))
  return words.flatMap((word, at) => {
    if (!/\.hive/i.test(word) || /[\s'"()]|:\/\/|^@/.test(word)) return []
    if (isCopy) return word === words.at(-1) && isThere(word) ? [word] : []
    const [, glued, value = word] = /^(-{0,2}\w[\w-]*=|-\w)(.+)$/s.exec(word) ?? []
    const option = glued ?? /^-[^=]*[^=-]$/.exec(words[at - 1] ?? "")?.[0]
    if (option === undefined ? hasOutput : READS.test(option) || (onlyOptions && !WRITES.test(option)))
      return []
    // `type=local,dest=x`, `x:/data`: the path is one of its pieces.
    return value.split(/[=,:]/).filter((piece) => !piece.startsWith("!") && isThere(piece))
  })
}

/**
 * Code of another language in the command itself (`python -c "…"`, a here-document) that names HiveMind's folder and
 * changes files, on that line or by a variable.
 */
export function codeWritesHive({ args, input }: SimpleCommand): boolean {
  const code = [...args.filter((arg) => /[\s(]/.test(arg)), input].join("\n").slice(0, MAX_CODE_CHARS)
  if (!HIVE.test(code)) return false
  const names = [...code.matchAll(/\b([A-Za-z_]\w{0,40})\s{0,9}=(?!=)([^;\n]{1,300})/g)]
    .filter(([, , value = ""]) => HIVE.test(value) && !/\b(read|load|require)\w*\(/i.test(value))
    .map(([, name = ""]) => name)
  const isMeant = (line: string) =>
    HIVE.test(line) || names.some((name) => new RegExp(`\\b${name}\\b`).test(line))
  return code.split(/[\n;]/).some((line) => CHANGES.test(line) && isMeant(line.replaceAll(READING, "")))
}

/** Notes for people are no part of it. */
const HIVE = /\.hivemind(?=['"`/\\])(?!\/artifacts|['"`]\s{0,9}\)?\s{0,9}[,/+]\s{0,9}['"`]\/?artifacts)/i
const CHANGES =
  /\b(write\w*|append\w*|createWriteStream|remove|unlink|rmtree|rm|rmdir|truncate|rename|mkdir|makedirs|touch)(Sync)?\s{0,9}\(|,\s{0,9}(mode\s{0,9}=\s{0,9})?['"][rbt]{0,2}[wax+]/
const READING =
  /\b(open\s{0,9}\(\s{0,9}(['"`][^'"`\n]{0,200}['"`]|\w+)\s{0,9}\)|(readFileSync|require|read_json|replace)\(([^()\n]|\([^()\n]{0,200}\)){0,200}\))/g
const MAX_CODE_CHARS = 100_000
/** Options for what is read or left out. */
const READS =
  /exclude|ignore|skip|input|config|from|env|body|data|upload|source|schema|filter|include|^-[dFTKbEIx]$/
const WRITES = /out|dir|target|prefix|dest|^-[oOtdBC]$/
const COPIES = /^(scp|sftp|aws|gsutil|gcloud|rclone|docker|podman|kubectl)$/
const MAX_WORDS = 500
