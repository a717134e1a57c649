import { parse, type Script, type Word, type WordPart } from "unbash"
import { bounded, HOLE } from "./hole.ts"
import { parameterOf, simpleName, variableOf } from "./parameters.ts"
import type { Frame } from "./run.ts"

/** What the expansion of words needs from the walk: to run what stands in `$(…)`, `<(…)` and `>(…)`. */
export interface Substitute {
  output(script: Script | undefined, text: string, frame: Frame): string
  /** The path under which the process on the other side of `<(…)` or `>(…)` is read or written. */
  file(script: Script | undefined, operator: "<" | ">", text: string, frame: Frame): string
  /** Runs whatever is nested in a part whose own value does not matter, such as arithmetic. */
  nested(part: WordPart, frame: Frame): void
}

/** The words that one word of a command becomes: none for an empty variable, several for a list. */
export function expandWord(word: Word, frame: Frame, sub: Substitute): string[] {
  if (word.parts === undefined) return [word.value]
  let fields: string[] = []
  let open = false
  const add = (text: string) => {
    if (open) fields[fields.length - 1] = bounded((fields.at(-1) ?? "") + text)
    else fields.push(bounded(text))
    open = true
  }
  /** An unquoted value falls apart at its blanks; a list ("$@") does even inside quotes. */
  const addAll = (values: readonly string[], quoted: boolean) => {
    for (const [i, value] of values.entries()) {
      const pieces = quoted ? [value] : value.split(/\s+/).slice(0, MAX_FIELDS)
      for (const [j, piece] of pieces.entries()) {
        if (i > 0 || j > 0) open = false
        if (piece !== "" || quoted) add(piece)
      }
    }
  }
  const walk = (parts: readonly WordPart[], quoted: boolean) => {
    for (const part of parts) {
      switch (part.type) {
        case "Literal":
        case "Glob":
        case "SingleQuoted":
        case "AnsiCQuoted":
          add(part.value)
          break
        case "DoubleQuoted":
        case "LocaleString":
          if (part.parts.length === 0) add("")
          walk(part.parts, true)
          break
        case "SimpleExpansion":
          addAll(listed(variableOf(simpleName(part.text), frame), part.text.endsWith("@"), quoted), quoted)
          break
        case "ParameterExpansion": {
          const isList = part.parameter === "@" || part.index?.text === "@"
          addAll(listed(parameterOf(part, frame, (one) => expandJoined(one, frame, sub)), isList, quoted), quoted)
          break
        }
        case "CommandExpansion":
          addAll([sub.output(part.script, part.text, frame)], quoted)
          break
        case "ArithmeticExpansion":
          sub.nested(part, frame)
          add("0")
          break
        case "ProcessSubstitution":
          add(sub.file(part.script, part.operator, part.text, frame))
          break
        case "BraceExpansion": {
          const head = open ? (fields.pop() ?? "") : ""
          const choices = alternatives(part.text).flatMap((text) => expandText(text, frame, sub))
          fields = [...fields, ...choices.map((choice) => head + choice)].slice(0, MAX_FIELDS)
          open = true
          break
        }
        case "ExtendedGlob":
          sub.nested(part, frame)
          add("*")
          break
      }
    }
  }
  const brace = word.parts.findIndex((part) => part.type === "BraceExpansion")
  if (brace === -1) {
    walk(word.parts, false)
    return fields
  }
  // Each alternative goes on with what follows the braces, which may hold braces too.
  walk(word.parts.slice(0, brace + 1), false)
  const rest = word.parts.slice(brace + 1)
  if (rest.length === 0) return fields
  const tail = expandWord({ ...word, parts: rest }, frame, sub)
  return fields.flatMap((field) => tail.map((end) => field + end)).slice(0, MAX_FIELDS)
}

/** A word where the shell does not split: an assignment's value, a redirection's target. */
export function expandJoined(word: Word, frame: Frame, sub: Substitute): string {
  return bounded(expandWord(word, frame, sub).join(" "))
}

function listed(values: readonly string[], isList: boolean, quoted: boolean): readonly string[] {
  return isList || !quoted ? values : [values.join(" ")]
}

function expandText(text: string, frame: Frame, sub: Substitute): string[] {
  if (!/[$`"'\\{]/.test(text)) return [text]
  const command = parse(`x ${text}`).commands[0]?.command
  if (command?.type !== "Command") return [HOLE]
  return command.args.flatMap((arg) => (arg.type === "Word" ? expandWord(arg, frame, sub) : [arg.text]))
}

/** `{a,b}` → a and b; a range such as `{1..9}` is left as a pattern. */
function alternatives(braces: string): string[] {
  const found: string[] = []
  let depth = 0
  let from = 1
  for (let at = 1; at < braces.length; at++) {
    const char = braces[at]
    if (char === "\\") at++
    else if (char === "{") depth++
    else if (char === "}" && depth-- === 0) break
    else if (char === "," && depth === 0) {
      found.push(braces.slice(from, at))
      from = at + 1
    }
  }
  return found.length === 0 ? ["*"] : [...found, braces.slice(from, -1)].slice(0, MAX_FIELDS)
}

const MAX_FIELDS = 256
