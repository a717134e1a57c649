import { listFrom, objectFrom, textFrom } from "../fields.ts"
import { isOver } from "./status.ts"

/** One thing of a list of iDumb's: a plan or a task. */
export interface Given {
  from: string
  value: unknown
}

export function dependenciesOf({ value }: Given): string[] {
  return listFrom(objectFrom(value)?.["dependsOn"])
}

export function idOf({ value }: Given): string | undefined {
  return textFrom(objectFrom(value)?.["id"])
}

export function isOverOne({ value }: Given): boolean {
  return isOver(objectFrom(value)?.["status"])
}

/** Something else in place of a list is its only element, so that it is told of. */
export function listed(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  const isEmpty = (value ?? "") === "" || JSON.stringify(value) === "{}"
  return isEmpty ? [] : [value]
}
