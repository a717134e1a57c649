import type { ParameterExpansionPart, ParameterOperation, Word } from "unbash"
import { HOLE, isKnown } from "./hole.ts"
import type { Frame } from "./run.ts"

/** The values of `${…}`: several for a list, none for a variable set to nothing. */
export function parameterOf(
  part: ParameterExpansionPart,
  frame: Frame,
  expand: (word: Word) => string,
): readonly string[] {
  if (part.prefix === "#") return ["0"]
  const named = variableOf(part.parameter, frame)
  const all = part.prefix === "!" ? variableOf(named.join(" "), frame) : named
  const values = part.index === undefined ? all : indexed(all, expand(part.index))
  if (part.operation === undefined) return values
  return applied(part.operation, values, expand, part.parameter, frame)
}

/** A variable of the environment is not ours to read, so it is a hole. */
export function variableOf(name: string, frame: Frame): readonly string[] {
  return frame.vars.get(name) ?? [HOLE]
}

/** `$X` and `$1` without the dollar. */
export function simpleName(text: string): string {
  return text.replaceAll(/[\\\n]/g, "").slice(1)
}

function indexed(values: readonly string[], index: string): readonly string[] {
  if (index === "@" || index === "*") return values
  return [values[Number(index)] ?? HOLE]
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
      if (operation.operator.endsWith("?")) return values
      if (operation.operator.endsWith("+")) return [operand]
      // Where the variable cannot be known, its default is the best guess, and the one that the author had in mind.
      if (operand === "" || (isKnown(value) && value !== "")) return values
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
      if (!isLiteral(pattern)) return [HOLE]
      return values.map((one) => {
        if (operation.operator === "//") return one.replaceAll(pattern, () => replacement)
        if (operation.operator === "/#")
          return one.startsWith(pattern) ? replacement + one.slice(pattern.length) : one
        if (operation.operator === "/%")
          return one.endsWith(pattern) ? one.slice(0, -pattern.length) + replacement : one
        return one.replace(pattern, () => replacement)
      })
    }
    case "Slice": {
      const from = Number(expand(operation.offset))
      const length = operation.length === undefined ? undefined : Number(expand(operation.length))
      if (Number.isNaN(from) || Number.isNaN(length ?? 0)) return [HOLE]
      return [value.slice(from, length === undefined || length < 0 ? length : from + length)]
    }
    case "CaseModification":
      return values.map((one) => (operation.operator.startsWith(",") ? one.toLowerCase() : one.toUpperCase()))
    case "Transform":
      return values
    default:
      return [HOLE]
  }
}

function without(value: string, cut: string, inFront: boolean): string {
  if (!isLiteral(cut)) return HOLE
  if (inFront) return value.startsWith(cut) ? value.slice(cut.length) : value
  return cut !== "" && value.endsWith(cut) ? value.slice(0, -cut.length) : value
}

function isLiteral(pattern: string): boolean {
  return pattern !== "" && isKnown(pattern) && !/[*?[\\]/.test(pattern)
}
