import { posix } from "node:path"
import { segmentsMeet } from "../../shared/glob.ts"
import { HIVE_FOLDER } from "../../store/files/layout.ts"
import { isKnown, NOT_EMPTY, UNKNOWN } from "./expand-word.ts"
import type { SimpleCommand } from "./syntax-tree.ts"

/** Absolute paths of the folders that decide whether a command's path is in the project, the hive or the home. */
export interface Places {
  project: string
  /** The folder that holds `.hivemind/`. */
  hive: string
  home: string
}

/** Resolves a word of a command to an absolute path, which may still contain globs and unknown pieces. */
export function resolvePath(word: string, cwd: string, { home }: Places): string {
  if (word.length > MAX_WORD_CHARS) return UNKNOWN
  const text = word.replaceAll("\\", "/")
  if (text === "~" || text.startsWith("~/")) return normalizePath(home + text.slice(1))
  if (/^([A-Za-z]:)?\//.test(text) || !isKnown(text.slice(0, 1))) return upFromUnknown(text)
  // After `cd "$X"`, a plain name is a file in that unknown folder. A glob may be any file.
  if (cwd === UNKNOWN && /^\w[\w./-]*$/.test(text)) return `${NOT_EMPTY}/${text}`
  return upFromUnknown(`${/^~(\/|$)/.test(cwd) ? home + cwd.slice(1) : cwd}/${text}`)
}

/** Normalizes a path. A `..` after an unknown piece may lead to any folder: such a path is UNKNOWN. */
function upFromUnknown(path: string): string {
  return /[\uE000\uE001][^/]*\/+\.\.(\/|$)/.test(path) ? UNKNOWN : normalizePath(path)
}

/** The path as people see it: relative inside of the project, absolute outside, or UNKNOWN_PATH. */
export function displayPath(path: string, project: string): string {
  if (!isKnown(path)) return UNKNOWN_PATH
  if (path === project) return "."
  return path.startsWith(`${project}/`) ? path.slice(project.length + 1) : path
}

/** Whether a path or a match of a glob lies in HiveMind's folder, apart from `artifacts`, which agents may write. */
export function isInHive(path: string): boolean {
  const segments = path.split("/")
  const at = segments.findIndex(couldBeHive)
  return at !== -1 && segments[at + 1] !== "artifacts"
}

/** A glob matches `.hivemind` only if it begins with the dot. An unknown piece may be any text. */
function couldBeHive(segment: string): boolean {
  const name = segment.toLowerCase().replaceAll(/[\uE000\uE001]/g, "*")
  if (name === HIVE_FOLDER) return true
  return name.length > 1 && /[*?[]/.test(name) && name.startsWith(".") && segmentsMeet(name, HIVE_FOLDER)
}

export function isDiskDevice(path: string): boolean {
  return /^\/dev\/(sd|hd|vd|xvd|nvme|mmcblk|r?disk|mapper\/|md|loop|dm-|sr)/.test(path)
}

/** Devices that keep nothing of what is written to them: terminals, pipes, /dev/null. */
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
 * The arguments of a program that name paths in HiveMind's folder. No snapshot covers that folder, so a program that is
 * not known as a reader counts as a writer. Options for input and exclusions do not count. With `onlyOptions` only
 * options for output count, as the program's own table says what happens to its operands.
 */
export function wordsInHive(program: string, command: SimpleCommand, places: Places, onlyOptions: boolean) {
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
    // The path is one piece of a value such as `type=local,dest=x` or `x:/data`.
    return value.split(/[=,:]/).filter((piece) => !piece.startsWith("!") && isThere(piece))
  })
}

/** Whether code in the command itself (`python -c "…"`) names HiveMind's folder and changes files. */
export function codeWritesHive({ args, input }: SimpleCommand): boolean {
  const code = [...args.filter((arg) => /[\s(]/.test(arg)), input].join("\n").slice(0, MAX_CODE_CHARS)
  const changing = code.replaceAll(READING, "")
  return HIVE.test(changing) && CHANGES.test(changing)
}

/** HiveMind's folder in code, apart from `artifacts`, which agents may write. */
const HIVE = /\.hivemind(?=['"`/\\])(?!\/artifacts|['"`]\s{0,9}\)?\s{0,9}[,/+]\s{0,9}['"`]\/?artifacts)/i
const CHANGES =
  /\b(write\w*|append\w*|createWriteStream|remove|unlink|rmtree|rm|rmdir|truncate|rename|mkdir|makedirs|touch)(Sync)?\s{0,9}\(|,\s{0,9}(mode\s{0,9}=\s{0,9})?['"][rbt]{0,2}[wax+]/
const READING =
  /\b(open\s{0,9}\(\s{0,9}(['"`][^'"`\n]{0,200}['"`]|\w+)\s{0,9}\)|(readFileSync|require|read_json|replace)\(([^()\n]|\([^()\n]{0,200}\)){0,200}\))/g
const MAX_CODE_CHARS = 100_000
const INPUT_OPTIONS =
  /exclude|ignore|skip|input|config|from|env|body|data|upload|source|schema|filter|include|^-[dFTKbEIx]$/
const OUTPUT_OPTIONS = /out|dir|target|prefix|dest|^-[oOtdBC]$/
const COPIES = /^(scp|sftp|aws|gsutil|gcloud|rclone|docker|podman|kubectl)$/
const MAX_WORDS = 500
