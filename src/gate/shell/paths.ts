import { posix } from "node:path"
import { segmentsMeet } from "../../shared/glob.ts"
import { HIVE_FOLDER } from "../../store/files/layout.ts"
import { isKnown, NOT_EMPTY, UNKNOWN } from "./expand-word.ts"
import type { SimpleCommand } from "./syntax-tree.ts"

/** Folders that a command's paths are held against, all absolute. */
export interface Places {
  /** The project's root. */
  project: string
  /** The folder that holds `.hivemind/`. */
  hive: string
  home: string
}

/** A word of a command as an absolute path; it may still hold patterns and unknown pieces. */
export function resolvePath(word: string, cwd: string, { home }: Places): string {
  if (word.length > MAX_WORD_CHARS) return UNKNOWN
  const text = word.replaceAll("\\", "/")
  if (text === "~" || text.startsWith("~/")) return normalizePath(home + text.slice(1))
  if (/^([A-Za-z]:)?\//.test(text) || !isKnown(text.slice(0, 1))) return upFromUnknown(text)
  // Behind `cd "$X" &&` a plain name is one in that folder; a pattern is everything in it.
  if (cwd === UNKNOWN && /^\w[\w./-]*$/.test(text)) return `${NOT_EMPTY}/${text}`
  const folder = /^~(\/|$)/.test(cwd) ? home + cwd.slice(1) : cwd
  return upFromUnknown(`${folder}/${text}`)
}

/** Up from a folder that is not known is anywhere. */
function upFromUnknown(path: string): string {
  return /[\uE000\uE001][^/]*\/+\.\.(\/|$)/.test(path) ? UNKNOWN : normalizePath(path)
}

/** Relative inside of the project, absolute outside, UNKNOWN_PATH where it is not known. */
export function displayPath(path: string, project: string): string {
  if (!isKnown(path)) return UNKNOWN_PATH
  if (path === project) return "."
  return path.startsWith(`${project}/`) ? path.slice(project.length + 1) : path
}

/** A pattern counts as all its possible matches. Notes for people in `artifacts` are no part of it. */
export function isInHive(path: string): boolean {
  const segments = path.split("/")
  const at = segments.findIndex(couldBeHive)
  return at !== -1 && segments[at + 1] !== "artifacts"
}

/** Only a pattern that begins with the dot matches a name that does; an unknown piece may be any text. */
function couldBeHive(segment: string): boolean {
  const name = segment.toLowerCase().replaceAll(/[\uE000\uE001]/g, "*")
  if (name === HIVE_FOLDER) return true
  return name.length > 1 && /[*?[]/.test(name) && name.startsWith(".") && segmentsMeet(name, HIVE_FOLDER)
}

export function isDiskDevice(path: string): boolean {
  return /^\/dev\/(sd|hd|vd|xvd|nvme|mmcblk|r?disk|mapper\/|md|loop|dm-|sr)/.test(path)
}

/** Written to, but nothing is kept: terminals, pipes, /dev/null. */
export function isNullDevice(path: string): boolean {
  return /^\/dev\/(null|zero|full|stdout|stderr|stdin|tty|fd\/|pts\/|tcp\/|udp\/)|^\/proc\/\w+\/fd\//.test(
    path,
  )
}

export function normalizePath(path: string): string {
  const normal = posix.normalize(path.replaceAll("\\", "/"))
  return normal.length > 1 && normal.endsWith("/") ? normal.slice(0, -1) : normal
}

export const UNKNOWN_PATH = "?"
const MAX_WORD_CHARS = 2048

/**
 * Words of a program that lead into HiveMind's folder. Nothing watches that folder afterwards, so a program that is not
 * known to only read counts as one that writes there. Options for input and for exclusions do not count;
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
    if (
      option === undefined
        ? hasOutput
        : INPUT_OPTIONS.test(option) || (onlyOptions && !OUTPUT_OPTIONS.test(option))
    )
      return []
    // `type=local,dest=x`, `x:/data`: the path is one of its pieces.
    return value.split(/[=,:]/).filter((piece) => !piece.startsWith("!") && isThere(piece))
  })
}

/** Code of another language in the command itself (`python -c "…"`) that names HiveMind's folder and changes files. */
export function codeWritesHive({ args, input }: SimpleCommand): boolean {
  const code = [...args.filter((arg) => /[\s(]/.test(arg)), input].join("\n").slice(0, MAX_CODE_CHARS)
  const changing = code.replaceAll(READING, "")
  return HIVE.test(changing) && CHANGES.test(changing)
}

/** Notes for people are no part of it. */
const HIVE = /\.hivemind(?=['"`/\\])(?!\/artifacts|['"`]\s{0,9}\)?\s{0,9}[,/+]\s{0,9}['"`]\/?artifacts)/i
const CHANGES =
  /\b(write\w*|append\w*|createWriteStream|remove|unlink|rmtree|rm|rmdir|truncate|rename|mkdir|makedirs|touch)(Sync)?\s{0,9}\(|,\s{0,9}(mode\s{0,9}=\s{0,9})?['"][rbt]{0,2}[wax+]/
const READING =
  /\b(open\s{0,9}\(\s{0,9}(['"`][^'"`\n]{0,200}['"`]|\w+)\s{0,9}\)|(readFileSync|require|read_json|replace)\(([^()\n]|\([^()\n]{0,200}\)){0,200}\))/g
const MAX_CODE_CHARS = 100_000
/** Options for input or exclusions. */
const INPUT_OPTIONS =
  /exclude|ignore|skip|input|config|from|env|body|data|upload|source|schema|filter|include|^-[dFTKbEIx]$/
const OUTPUT_OPTIONS = /out|dir|target|prefix|dest|^-[oOtdBC]$/
const COPIES = /^(scp|sftp|aws|gsutil|gcloud|rclone|docker|podman|kubectl)$/
const MAX_WORDS = 500
