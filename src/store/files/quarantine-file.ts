import { maskAll } from "../../shared/secrets/mask.ts"
import { parseJson } from "./json-lines.ts"
import { hivePaths } from "./layout.ts"
import { appendText, readText, removeText, replaceText } from "./text-file.ts"

/** Data of another tool that could not be imported as a record. It is kept for the user. */
export interface QuarantinedSource {
  by: string
  from: string // The place of the data in the other tool's files.
  /** The file or folder that contains `from`, if `from` is not unique without it. */
  in?: string
  reason: string
  original: unknown
}

export type QuarantinedPlace = Pick<QuarantinedSource, "from" | "in">

/** `graph/quarantine.jsonl`. Data that is imported again does not add its line again. */
export function quarantineFile(home: string) {
  const path = hivePaths(home).quarantine
  let known: Set<string> | undefined
  const seen = new Set<string>()

  return {
    add(sources: readonly QuarantinedSource[]): void {
      known ??= new Set(linesOf(path))
      const lines = [...new Set(sources.map((source) => JSON.stringify(maskAll(source))))]
      for (const line of lines) seen.add(line)
      const fresh = lines.filter((line) => !known?.has(line))
      if (fresh.length === 0) return
      appendText(path, `${fresh.join("\n")}\n`)
      for (const line of fresh) known.add(line)
    },
    remove: (by: string): void => keepOnly(path, (line) => !isBy(line, by)),
    /** Removes lines of places that were read again without that problem. */
    removeOutdated: (by: string, isRead: (place: QuarantinedPlace) => boolean): void =>
      keepOnly(path, (line) => !isBy(line, by) || seen.has(line) || !isRead(placeOf(line))),
    count: () => linesOf(path).length,
  }
}

function keepOnly(path: string, isKept: (line: string) => boolean): void {
  const lines = linesOf(path)
  const kept = lines.filter(isKept)
  if (kept.length === lines.length) return
  if (kept.length === 0) removeText(path)
  else replaceText(path, kept.map((line) => `${line}\n`).join(""))
}

function isBy(line: string, by: string): boolean {
  return line.startsWith(`{"by":${JSON.stringify(by)},`)
}

/** A line that a person has edited has an empty place, so it is never removed. */
function placeOf(line: string): QuarantinedPlace {
  const { from = "", in: inside } = (parseJson(line) ?? {}) as Partial<QuarantinedSource>
  return { from: String(from), ...(inside === undefined ? {} : { in: inside }) }
}

function linesOf(path: string): string[] {
  return (readText(path) ?? "").split("\n").filter((line) => line !== "")
}
