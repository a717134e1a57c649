import { statSync } from "node:fs"
import { join } from "node:path"
import { firstIssue } from "../../graph/state.ts"
import { type SessionExport, sessionExport } from "../../schemas/export.ts"
import { TEMP_MARK } from "../atomic-write.ts"
import type { HivePaths } from "../layout.ts"
import { listFolder } from "../segments.ts"
import { createText, readText, removeText } from "./text-file.ts"

export interface ExportFile {
  name: string
  record: SessionExport
}

/** A file in the folder that is none of ours, or not any more. It is left alone. */
export interface StrangeFile {
  name: string
  reason: string
}

/** Every export, newest first, and what else lies in the folder. */
export function listExports(paths: HivePaths): { exports: ExportFile[]; strange: StrangeFile[] } {
  const exports: ExportFile[] = []
  const strange: StrangeFile[] = []
  for (const name of listFolder(paths.exports)) {
    // Another process is about to put it in its place.
    if (name.includes(TEMP_MARK)) continue
    const found = readExport(paths, name)
    if (typeof found === "string") strange.push({ name, reason: found })
    else exports.push({ name, record: found })
  }
  return { exports: exports.sort(byNewest), strange }
}

/** The last export of a session that can be read, and the highest number that is taken. */
export function lastExport(
  paths: HivePaths,
  session: { stamp: string; host_id: string },
): { last: SessionExport | undefined; highest: number } {
  const taken = listFolder(paths.exports)
    .flatMap((name) => {
      const parts = NAME.exec(name)
      return parts?.[1] === session.stamp ? [{ name, number: Number(parts[2]) }] : []
    })
    .sort((a, b) => b.number - a.number)
  for (const { name } of taken) {
    const found = readExport(paths, name)
    if (typeof found !== "string" && found.session.host_id === session.host_id)
      return { last: found, highest: taken[0]?.number ?? 0 }
  }
  return { last: undefined, highest: taken[0]?.number ?? 0 }
}

/** Writes an export under the first number that is free; nothing is ever overwritten. */
export function createExport(paths: HivePaths, wanted: SessionExport): ExportFile {
  for (let { number } = wanted; ; number++) {
    const record = { ...wanted, number }
    const name = `${record.session.stamp}-${String(number).padStart(3, "0")}.json`
    if (createText(join(paths.exports, name), `${JSON.stringify(record, null, 2)}\n`)) return { name, record }
  }
}

export function removeExport(paths: HivePaths, { name }: ExportFile): void {
  removeText(join(paths.exports, name))
}

/** The export, or why the file is none. */
function readExport(paths: HivePaths, name: string): SessionExport | string {
  if (!NAME.test(name)) return "it is not named like an export"
  const path = join(paths.exports, name)
  try {
    const stat = statSync(path, { throwIfNoEntry: false })
    if (stat !== undefined && (!stat.isFile() || stat.size > MAX_BYTES)) return "it is no file, or too long"
    const parsed = sessionExport.safeParse(JSON.parse(readText(path) ?? ""))
    return parsed.success ? parsed.data : firstIssue(parsed.error)
  } catch (error) {
    return error instanceof SyntaxError ? "it is not valid JSON" : "it cannot be read"
  }
}

/** Ties go by name, so that every process keeps the same ones. */
function byNewest(a: ExportFile, b: ExportFile): number {
  return b.record.exported_at.localeCompare(a.record.exported_at) || b.name.localeCompare(a.name)
}

/** `<stamp>-<nnn>.json`. A longer number is nobody's count, and none can be counted on from it. */
const NAME = /^(\d{10,12}(?:-\d+)?)-(\d{3,9})\.json$/
// Far more than the longest export that is written.
const MAX_BYTES = 2 << 20
