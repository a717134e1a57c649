import type { Command, Word, WordPart } from "unbash"

/** `set -e` and `set -o pipefail`. */
export interface ShellOptions {
  isStrict: boolean
  isPipefail: boolean
}

/** The words of a command; undefined where a variable says which program it is. */
export function wordsOf({ name, args }: Command): string[] | undefined {
  if (name === undefined) return []
  if (!isLiteral(name)) return undefined
  const words = [name.value, ...args.map((arg) => (arg.type === "Word" ? arg.value : arg.text))]
  // `command exit 0` is `exit 0`.
  while (/^(command|builtin)$/.test(words[0] ?? "") && !/^-/.test(words[1] ?? "-")) words.shift()
  return words
}

export function baseName(word: string): string {
  return word.slice(word.lastIndexOf("/") + 1)
}

/** After it nothing may be what it looks like, or it runs a text that is not read here. */
export function mayMeanAnything({ prefix }: Command, words: readonly string[]): boolean {
  const [program = "", ...rest] = words.map(baseName)
  if (CHANGES_MEANING.has(program)) return true
  if (program === "hash" && words.includes("-p")) return true
  if (program === "set" && words.some((word) => /^-\w*n|^noexec$/.test(word))) return true
  if ([...prefix.map((one) => (one.type === "Assignment" ? one.text : "")), ...words].some(setsOptions))
    return true
  if (TAKES_TEXT.has(program)) return words.slice(1).some((word) => /[\s;|&]/.test(word))
  if (program === "npx") return /^(-(?!p$)\S* |-p \S+ )*(-c|--call) /.test(`${words.slice(1).join(" ")} `)
  const shell = rest.findIndex((word) => SHELL.test(word))
  return shell !== -1 && rest.slice(shell).some((word) => /^-\w*c$/.test(word))
}

/** The text of `bash -c '…'` with what is set for it; undefined for other programs, and where a shell runs a file. */
export function shellText(
  { args }: Command,
  words: readonly string[],
): { text: string; options: ShellOptions } | "unread" | undefined {
  if (!SHELL.test(baseName(words[0] ?? ""))) return undefined
  const options = { isStrict: false, isPipefail: false }
  const given = words.slice(1)
  for (let word = given.shift(); word !== undefined; word = given.shift()) {
    if (/^[^-]/.test(word)) return undefined
    const [, letters, last] = /^-([euxil]*)([oc]?)$/.exec(word) ?? []
    if (letters === undefined) return "unread"
    options.isStrict ||= letters.includes("e")
    if (last === "o") {
      const name = given.shift() ?? ""
      if (!/^(pipefail|errexit|nounset)$/.test(name)) return "unread"
      options.isPipefail ||= name === "pipefail"
      options.isStrict ||= name === "errexit"
    } else if (last === "c") {
      const text = args.at(-1)
      // A variable in it is the outer shell's, and a word behind it an argument.
      const isRead = given.length === 1 && text?.type === "Word" && isLiteral(text)
      return isRead ? { text: text.value, options } : "unread"
    }
  }
  return "unread"
}

function isLiteral({ value, parts = [] }: Word): boolean {
  const isPlain = (part: WordPart): boolean =>
    part.type === "DoubleQuoted" ? part.parts.every(isPlain) : PLAIN.has(part.type)
  return parts.length === 0 ? !/[$`]/.test(value) : parts.every(isPlain)
}

/** Options or programs from the environment, which may be any; the usual ones of a build are none that matter. */
function setsOptions(word: string): boolean {
  if (/^PATH=(?!.*\$\{?PATH)|^npm_config_(dry_run|if_present|script_shell)=/i.test(word)) return true
  return /^(PYTEST_ADDOPTS=|MAKEFLAGS=(?!-j\d*$)|GOFLAGS=(?!-(mod|tags|buildvcs)=[\w,]+$))/.test(word)
}

const PLAIN = new Set(["Literal", "SingleQuoted", "AnsiCQuoted"])
const CHANGES_MEANING = new Set("eval trap alias exec watch fish".split(" "))
const TAKES_TEXT = new Set(
  "su runuser script ssh tmux screen nix-shell flock parallel concurrently".split(" "),
)
const SHELL = /^(ba|z|da|k)?sh$/
