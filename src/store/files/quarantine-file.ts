import { maskAll } from "../../shared/secrets/mask.ts"
import { parseJson } from "./json-lines.ts"
import { hivePaths } from "./layout.ts"
import { appendText, readText, removeText, replaceText } from "./text-file.ts"

/** Text found in files of other tools that could not become a record: kept, so that a person can look at it. */
export interface QuarantinedSource {
  /** The command that read it. */
  by: string
  from: string
  /** The file or folder that was read, where two can contain places of the same name. */
  in?: string
  reason: string
  original: unknown
}

export type QuarantinedPlace = Pick<QuarantinedSource, "from" | "in">

/** `graph/quarantine.jsonl`: one line each, each only once however often its file is read. */
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
    /** Removes all lines of a command. */
    remove: (by: string): void => keepOnly(path, (line) => !isBy(line, by)),
    /** Removes lines that an earlier reading of the same places has added, and this one has not found again. */
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

/** A line that was changed by hand has no place, and stays. */
function placeOf(line: string): QuarantinedPlace {
  const { from = "", in: inside } = (parseJson(line) ?? {}) as Partial<QuarantinedSource>
  return { from: String(from), ...(inside === undefined ? {} : { in: inside }) }
}

function linesOf(path: string): string[] {
  return (readText(path) ?? "").split("\n").filter((line) => line !== "")
}
