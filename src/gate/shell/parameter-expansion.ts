import type { ParameterExpansionPart, ParameterOperation, Word } from "unbash"
import type { Frame } from "./frame.ts"
import { GUARDED, isKnown, UNKNOWN } from "./unknown-text.ts"

/** The values of `${…}`: several for a list, none for a variable set to nothing. */
export function parameterOf(
  part: ParameterExpansionPart,
  frame: Frame,
  expand: (word: Word) => string,
): readonly string[] {
  if (part.prefix === "#") return ["0"]
  if (part.prefix === "!") return [UNKNOWN]
  const all = variableOf(part.parameter, frame)
  const values = part.index === undefined ? all : indexed(all, expand(part.index))
  if (part.operation === undefined) return values
  return applied(part.operation, values, expand, part.parameter, frame)
}

/** The environment is not read, and a sourced file may set anything: what the command has not set is unknown, not empty. */
export function variableOf(name: string, frame: Frame): readonly string[] {
  return frame.vars.known(name)
}

/** `$X` and `$1` without the dollar. */
export function simpleName(text: string): string {
  return text.replaceAll(/[\\\n]/g, "").slice(1)
}

function indexed(values: readonly string[], index: string): readonly string[] {
  if (index === "@" || index === "*") return values
  return [values[Number(index)] ?? UNKNOWN]
}

function applied(
  operation: ParameterOperation,
  values: readonly string[],
  expand: (word: Word) => string,
  name: string,
  frame: Frame,
): readonly string[] {
  const value = values.join(" ")
  switch (operation.type) {
    case "Default": {
      const operand = expand(operation.operand)
      // Without a value the shell ends right there.
      if (operation.operator.endsWith("?"))
        return value === "" || !frame.vars.has(name) ? [UNKNOWN + GUARDED] : values
      if (operation.operator.endsWith("+")) return [operand]
      // Where nothing here has set it, its default is the best guess, and the one that the author had in mind.
      if (operand === "" || (frame.vars.has(name) && value !== "")) return values
      if (operation.operator.endsWith("=")) frame.vars.set(name, [operand])
      return [operand]
    }
    case "Remove": {
      const cut = expand(operation.operand)
      return values.map((one) => without(one, cut, operation.operator.startsWith("#")))
    }
    case "Replace": {
      const pattern = expand(operation.pattern)
      const replacement = expand(operation.replacement)
      if (!isLiteral(pattern)) return [UNKNOWN]
      return values.map((one) => {
        if (operation.operator === "//") return one.replaceAll(pattern, () => replacement)
        return operation.operator === "/" ? one.replace(pattern, () => replacement) : UNKNOWN
      })
    }
    case "CaseModification":
      return values.map((one) => (operation.operator.startsWith(",") ? one.toLowerCase() : one.toUpperCase()))
    default:
      return [UNKNOWN]
  }
}

function without(value: string, cut: string, inFront: boolean): string {
  if (!isLiteral(cut)) return UNKNOWN
  if (inFront) return value.startsWith(cut) ? value.slice(cut.length) : value
  return cut !== "" && value.endsWith(cut) ? value.slice(0, -cut.length) : value
}

function isLiteral(pattern: string): boolean {
  return pattern !== "" && isKnown(pattern) && !/[*?[\\]/.test(pattern)
}
