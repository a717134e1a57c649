import { maskAll } from "../../shared/secrets/mask.ts"
import { existsSync, readFileSync } from "./hive-fs.ts"
import { hivePaths } from "./layout.ts"
import { appendText, removeText, replaceText } from "./text-file.ts"

/** What was found in files of other tools and could not become a record: kept, so that a person can look at it. */
export interface QuarantinedSource {
  /** The command that read it. */
  by: string
  from: string
  /** The file or folder that was read, where places in two may be called alike. */
  in?: string
  reason: string
  original: unknown
}

export type QuarantinedPlace = Pick<QuarantinedSource, "from" | "in">

/** `graph/quarantine.jsonl`: one line each, and each only once however often its file is read. */
export function quarantineFile(home: string) {
  const path = hivePaths(home).quarantine
  let known: Set<string> | undefined
  const said = new Set<string>()

  return {
    add(sources: readonly QuarantinedSource[]): void {
      known ??= new Set(linesOf(path))
      const lines = [...new Set(sources.map((source) => JSON.stringify(maskAll(source))))]
      for (const line of lines) said.add(line)
      const fresh = lines.filter((line) => !known?.has(line))
      if (fresh.length === 0) return
      appendText(path, `${fresh.join("\n")}\n`)
      for (const line of fresh) known.add(line)
    },
    /** Takes out what a command has put there. */
    remove: (by: string): void => keepOnly(path, (line) => !isBy(line, by)),
    /** Takes out what an earlier reading of the same places has put there, and this one has not found again. */
    removeOutdated: (by: string, isRead: (place: QuarantinedPlace) => boolean): void =>
      keepOnly(path, (line) => !isBy(line, by) || said.has(line) || !isRead(placeOf(line))),
    /** How many there are. */
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

function placeOf(line: string): QuarantinedPlace {
  try {
    const { from = "", in: inside } = JSON.parse(line) as Partial<QuarantinedSource>
    return { from: String(from), ...(inside === undefined ? {} : { in: inside }) }
  } catch {
    return { from: "" } // Changed by hand: it stays.
  }
}

function linesOf(path: string): string[] {
  return existsSync(path)
    ? readFileSync(path, "utf8")
        .split("\n")
        .filter((line) => line !== "")
    : []
}
