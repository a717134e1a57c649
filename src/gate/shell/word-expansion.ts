import { type ParsedScript, parse, type Word, type WordPart } from "unbash"
import type { Frame } from "./frame.ts"
import { parameterOf, simpleName, variableOf } from "./parameter-expansion.ts"
import { bounded, isKnown, UNKNOWN } from "./unknown-text.ts"

/** What the expansion of words needs from the judge: to run what is in `$(…)`, `<(…)` and `>(…)`. */
export interface Substitute {
  /** Counts the text that is made; false once it is too much, as when a variable doubles itself. */
  spend(chars: number): boolean
  output(script: ParsedScript | undefined, text: string, frame: Frame): string
  /** The path under which the process on the other side of `<(…)` or `>(…)` is read or written. */
  file(script: ParsedScript | undefined, operator: "<" | ">", text: string, frame: Frame): string
  /** Runs whatever is nested in a part whose own value does not matter, such as arithmetic. */
  nested(part: WordPart, frame: Frame): void
}

/** The words that one word of a command becomes: none for an empty variable, several for a list. */
export function expandWord(word: Word, frame: Frame, sub: Substitute): string[] {
  return word.parts === undefined ? [word.value] : expandParts(word.parts, false, frame, sub)
}

/** A here-document's body: as between double quotes. */
export function expandQuoted(parts: readonly WordPart[], frame: Frame, sub: Substitute): string {
  return bounded(expandParts(parts, true, frame, sub).join(" "))
}

function expandParts(
  parts: readonly WordPart[],
  quoted: boolean,
  frame: Frame,
  sub: Substitute,
  bracesBefore = 0,
): string[] {
  let braces = bracesBefore
  const fields = newFields(sub.spend, betweenWords(frame))
  for (const [at, part] of parts.entries()) {
    switch (part.type) {
      case "Literal":
      case "Glob":
      case "SingleQuoted":
      case "AnsiCQuoted":
        fields.add(part.value)
        break
      case "DoubleQuoted":
      case "LocaleString":
        if (part.parts.length === 0) fields.add("")
        fields.addAll(expandParts(part.parts, true, frame, sub), true)
        break
      case "SimpleExpansion": {
        const values = variableOf(simpleName(part.text), frame)
        fields.addAll(listed(values, part.text.endsWith("@"), quoted), quoted)
        break
      }
      case "ParameterExpansion": {
        // Whatever becomes of the value, commands inside the braces run.
        if (part.operation !== undefined || part.index !== undefined) sub.nested(part, frame)
        const values = parameterOf(part, frame, (one) => expandJoined(one, frame, sub))
        const isList = part.parameter === "@" || part.index?.text === "@"
        fields.addAll(listed(values, isList, quoted), quoted)
        break
      }
      case "CommandExpansion":
        fields.addAll([sub.output(part.script, part.text, frame)], quoted)
        break
      case "ArithmeticExpansion":
        sub.nested(part, frame)
        fields.add("0")
        break
      case "ProcessSubstitution":
        fields.add(sub.file(part.script, part.operator, part.text, frame))
        break
      case "ExtendedGlob":
        // It may match names that begin with a dot, if the dot is in it.
        sub.nested(part, frame)
        fields.add(part.text.includes(".") && !fields.isInWord() ? ".*" : "*")
        break
      case "BraceExpansion": {
        if (++braces > MAX_BRACES) {
          sub.nested(part, frame)
          fields.add("*")
          break
        }
        // Each choice goes on with what follows the braces, which may hold braces too.
        const choices = alternatives(part.text).flatMap((text) => expandText(text, frame, sub))
        const rest = parts.slice(at + 1)
        const tails = rest.length === 0 ? [""] : expandParts(rest, quoted, frame, sub, braces)
        return fields.times(choices.flatMap((choice) => tails.map((tail) => choice + tail)))
      }
    }
  }
  return fields.all
}

/** A word where the shell does not split: an assignment's value, a redirection's target. */
export function expandJoined(word: Word, frame: Frame, sub: Substitute): string {
  return word.parts === undefined ? word.value : expandQuoted(word.parts, frame, sub)
}

function listed(values: readonly string[], isList: boolean, quoted: boolean): readonly string[] {
  return isList || !quoted ? values : [values.join(" ")]
}

function expandText(text: string, frame: Frame, sub: Substitute): string[] {
  if (!/[$`"'\\{]/.test(text)) return [text]
  const source = `x ${text}`
  const command = parse(source).commands[0]?.command
  if (command?.type !== "Command") return [UNKNOWN]
  const inner = { ...frame, source }
  return command.args.flatMap((arg) => (arg.type === "Word" ? expandWord(arg, inner, sub) : [arg.text]))
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

/** The words being put together: text joins the last one until a blank ends it. `spend` says if there is room. */
function newFields(spend: (chars: number) => boolean, between: RegExp | null) {
  const all: string[] = []
  let open = false
  const add = (text: string) => {
    if (open) all[all.length - 1] = bounded((all.at(-1) ?? "") + text)
    else all.push(bounded(text))
    open = true
  }
  return {
    all,
    add,
    /** Does text that is added now follow on a name? */
    isInWord: () => open && !(all.at(-1) ?? "").endsWith("/"),
    // An unquoted value falls apart at its blanks; a list ("$@") does so even inside quotes.
    addAll: (values: readonly string[], quoted: boolean) => {
      for (const [i, one] of values.entries()) {
        const isRoom = spend(one.length) && (quoted || between !== null || /^[\w./-]*$/.test(one))
        const value = isRoom ? one : UNKNOWN
        const pieces = quoted || between === null ? [value] : value.split(between).slice(0, MAX_FIELDS)
        for (const [j, piece] of pieces.entries()) {
          if (i > 0 || j > 0) open = false
          if (piece !== "" || quoted) add(piece)
        }
      }
    },
    /** The words so far, the last one continued by each of the choices. */
    times: (choices: readonly string[]) => {
      const head = open ? (all.pop() ?? "") : ""
      return [...all, ...choices.map((choice) => bounded(head + choice))].slice(0, MAX_FIELDS)
    },
  }
}

/** Where the shell cuts what a variable holds: by itself at blanks, else at what `IFS` says. Null where nobody knows. */
function betweenWords({ vars }: Frame): RegExp | null {
  const signs = (vars.get("IFS") ?? [UNKNOWN]).join("")
  if (signs === " ") return /\s+/
  if (!isKnown(signs) || vars.others("IFS").length > 0) return null
  return signs === "" ? /(?!)/ : new RegExp(`[${signs.replaceAll(/[\]\\^-]/g, "\\$&")}]+`)
}

const MAX_FIELDS = 256
/** Past these, braces are left as a pattern: each pair doubles the words. */
const MAX_BRACES = 6
