import type { ShellContext } from "./judgement.ts"
import { UNKNOWN } from "./unknown-text.ts"

/** What a variable is that the command itself has not set. */
export interface Environment {
  /** `asks`: by `${X:-y}` and its like, which the shell answers for a variable that is not set, too. */
  valueOf(name: string, asks: boolean): readonly string[]
  /** Text that nobody has read may have set anything. */
  open(): void
  /** `set -u`: the shell ends at a variable that is not set. */
  endsAtUnset: boolean
  /** A word that begins with a variable that is empty: what was meant to be in some folder is at the root of the disk. */
  noteUprooted(word: string): void
  isUprooted(path: string): boolean
  /** What is not set is empty, for it is known what is set. */
  readonly isRead: boolean
}

/**
 * A variable that neither the command nor the environment sets is empty: `rm -rf "$X"` does nothing then, and
 * `rm -rf "$X"/*` deletes everything. Where the command looks first (`[ -n "$X" ]`, `${X:?}`), it does not come that far.
 */
export function newEnvironment(env: ShellContext["env"], command: string): Environment {
  const guarded = namesIn(command, GUARDS)
  const counted = namesIn(command, COUNTS)
  const uprooted = new Set<string>()
  let isOpen = env === undefined
  const environment: Environment = {
    isRead: env !== undefined,
    endsAtUnset: false,
    noteUprooted: (word) => {
      if (word.length > 1 && word.startsWith("/") && uprooted.size < MAX_UPROOTED) uprooted.add(word)
    },
    isUprooted: (path) => [...uprooted].some((one) => path === one || path.startsWith(`${one}/`)),
    open: () => {
      isOpen = true
    },
    valueOf: (name, asks) => {
      if (isOpen || SHELLS_OWN.test(name) || counted.has(name)) return [UNKNOWN]
      const value = env !== undefined && Object.hasOwn(env, name) ? (env[name] ?? "") : ""
      if (value === "") return !asks && (environment.endsAtUnset || guarded.has(name)) ? [NOT_REACHED] : []
      // Others are no paths, and may be secrets.
      return PATH.test(value) ? [value] : [UNKNOWN]
    },
  }
  return environment
}

/** The values of the variables that a command names, so that its judgement is kept for these alone. */
export function environmentKey(env: ShellContext["env"], command: string): string {
  if (env === undefined) return "-"
  return [...namesIn(command, NAMED)]
    .map((name) => `${name}=${Object.hasOwn(env, name) ? env[name] : ""}`)
    .join("\n")
}

function namesIn(text: string, pattern: RegExp): Set<string> {
  const found = text.slice(0, MAX_CHARS).matchAll(pattern)
  return new Set([...found].flatMap(([, ...names]) => names.filter((name) => name !== undefined)))
}

/** Stands for a path in a command that the shell does not come to: nothing is lost there. */
export const NOT_REACHED = "/tmp/not-reached"
const NAMED = /\$\{?(\w{1,60})/g
/** `[ -n "$X" ]`, `[[ -d $X ]]`, `test -z "$X"`, `[ "$X" = "" ]`, `${X:?}`. */
const GUARDS =
  /(?:\[|\btest)\s{1,9}(?:!\s{1,9})?-[a-z]\s{1,9}"?\$\{?(\w{1,60})|"\$\{?(\w{1,60})\}?"\s{1,9}!?==?\s{1,9}(?:""|'')|\$\{(\w{1,60}):?\?/g
/** `(( n++ ))`, `for (( n = 0; …`. */
const COUNTS = /\(\(\s{0,9}(\w{1,60})\s{0,9}(?:[-+*/%]?=|\+\+|--)|\blet\s{1,9}["']?(\w{1,60})/g
const SHELLS_OWN =
  /^(?:BASH.*|E?UID|PPID|HOSTNAME|OSTYPE|MACHTYPE|HOSTTYPE|SECONDS|LINENO|REPLY|FUNCNAME|PIPESTATUS|MAPFILE|GROUPS|SHLVL|COLUMNS|LINES|EPOCH.*|SRANDOM|OLDPWD|ZSH.*|_|-)$/
const PATH = /^\/[^\s:;]{0,500}$/
const MAX_CHARS = 20_000
const MAX_UPROOTED = 50
