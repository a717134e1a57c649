import type { Word, WordPart } from "unbash"

/**
 * Stands for a piece of a word that is only known when the command runs: an environment variable, or a program's output.
 * It is a character of Unicode's private use area, so that the rest of the word can still be read.
 */
export const UNKNOWN = "\uE000"
/** An unknown piece that is not empty, because the shell would stop otherwise: `${X:?}`. */
export const NOT_EMPTY = "\uE001"

export const isKnown = (text: string): boolean => !text.includes(UNKNOWN) && !text.includes(NOT_EMPTY)

/** For each variable, every value that the command line assigns to it in any branch. */
export type Variables = Map<string, readonly string[]>

/** Expands a word as the shell does: one string for each combination of the values of its variables. */
export function expandWord(word: Word, variables: Variables): string[] {
  if (word.parts === undefined) return [word.value]
  const texts = joined(word.parts, variables)
  // The shell splits the value of an unquoted variable into words.
  const isList = word.parts.length === 1 && /^(Simple|Parameter)Expansion$/.test(word.parts[0]?.type ?? "")
  return isList ? texts.flatMap((text) => text.split(/\s+/)) : texts
}

function joined(parts: readonly WordPart[], variables: Variables): string[] {
  let texts = [""]
  for (const part of parts) {
    const values = partValues(part, variables)
    const few = texts.slice(0, Math.max(1, Math.floor(MAX_TEXTS / values.length)))
    texts = few.flatMap((text) => values.map((value) => text + value))
    // Limits a value that grows with every assignment, such as `x=$x$x`.
    if (values.length > 1 && texts.some((text) => text.length > MAX_TEXT_CHARS)) return [UNKNOWN]
  }
  return texts
}

function partValues(part: WordPart, variables: Variables): readonly string[] {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
      return [part.value]
    case "DoubleQuoted":
    case "LocaleString":
      return joined(part.parts, variables)
    case "Glob":
    case "ExtendedGlob":
      return [part.text]
    case "BraceExpansion":
      return /^\{[^{}]*,[^{}]*\}$/.test(part.text) ? part.text.slice(1, -1).split(",") : [part.text]
    case "SimpleExpansion":
      return valuesOf(part.text.slice(1), variables)
    case "ParameterExpansion": {
      const { parameter, operation, prefix, index } = part
      if (prefix !== undefined || (index !== undefined && index.value !== "@")) return [UNKNOWN]
      const values = valuesOf(parameter, variables)
      if (operation === undefined) return values
      if (operation.type !== "Default") return [UNKNOWN]
      if (!values.includes(UNKNOWN)) return values
      if (operation.operator.endsWith("?")) return [NOT_EMPTY]
      return /[-=]$/.test(operation.operator) ? expandWord(operation.operand, variables) : [UNKNOWN]
    }
    case "CommandExpansion":
      return [printedBy(part.text.replace(/^\$\(|^`|[)`]$/g, "").trim())]
    default:
      return [UNKNOWN]
  }
}

function valuesOf(name: string, variables: Variables): readonly string[] {
  return variables.get(name) ?? (Object.hasOwn(ENVIRONMENT, name) ? [ENVIRONMENT[name] ?? ""] : [UNKNOWN])
}

/** The output of common command substitutions for the project's folder, temporary folders and caches. */
function printedBy(text: string): string {
  if (/^(.*&&\s*)?pwd(\s+-P)?$|rev-parse --show-toplevel|^dirname\s/s.test(text)) return "."
  if (/^mktemp\b/.test(text)) return "/tmp/mktemp"
  if (/^npm root$/.test(text)) return "./node_modules"
  return CACHE.test(text) ? "~/.cache/x" : UNKNOWN
}

const ENVIRONMENT: Readonly<Record<string, string>> = {
  ...{ HOME: "~", PWD: ".", GITHUB_WORKSPACE: ".", TMPDIR: "/tmp", RUNNER_TEMP: "/tmp", $: "1" },
  XDG_CACHE_HOME: "~/.cache",
}
const CACHE = /^(npm (config )?get cache|go env GO(MOD)?CACHE|pnpm store path|(yarn|pip) cache dir)$/
const MAX_TEXTS = 24
const MAX_TEXT_CHARS = 4096
