import { join, relative } from "node:path"
import type { Hive } from "../../hive/hive.ts"
import { firstIssue } from "../../schemas/checked.ts"
import { type SessionExport, sessionExport } from "../../schemas/export.ts"
import type { Session } from "../../schemas/session.ts"
import { maskAll } from "../../shared/secrets/mask.ts"
import { statSync } from "../../store/files/hive-fs.ts"
import { type HivePaths, hivePaths } from "../../store/files/layout.ts"
import { createText, listFiles, readText, removeText } from "../../store/files/text-file.ts"

interface ExportFile {
  name: string
  record: SessionExport
}

/** All exports in `sessions/archive/exports/`, newest first. `skipped` are other files in that folder. */
export function listExports(paths: HivePaths) {
  const exports: ExportFile[] = []
  const skipped: { name: string; reason: string }[] = []
  for (const name of listFiles(paths.exports)) {
    const found = readExport(paths, name)
    if (typeof found === "string") skipped.push({ name, reason: found })
    else exports.push({ name, record: found })
  }
  return { exports: exports.sort(byNewest), skipped }
}

/** The path to show: relative to the project if the hive is in it, else absolute. */
export function exportPath({ home, dir }: Hive, name: string): string {
  const path = join(hivePaths(home).exports, name)
  return home === dir ? relative(dir, path) : path
}

export function summarizeExports({ home }: Hive) {
  const { exports, skipped } = listExports(hivePaths(home))
  return {
    exports: exports.map(({ name, record: { exported_at, session, validation, is_stale } }) => ({
      name,
      exported_at,
      stamp: session.stamp,
      is_complete: validation.is_complete,
      issues: validation.issues.length,
      is_stale,
    })),
    skipped,
  }
}

/** The last readable export of a session, and the highest export number in use. */
export function lastExport(paths: HivePaths, { stamp, host_id }: Pick<Session, "stamp" | "host_id">) {
  const used = listFiles(paths.exports)
    .flatMap((name) => {
      const parts = NAME.exec(name)
      return parts?.[1] === stamp ? [{ name, number: Number(parts[2]) }] : []
    })
    .sort((a, b) => b.number - a.number)
  const highest = used[0]?.number ?? 0
  for (const { name } of used) {
    const found = readExport(paths, name)
    if (typeof found !== "string" && found.session.host_id === host_id) return { last: found, highest }
  }
  return { last: undefined, highest }
}

/** Writes an export under the first free number from `wanted.number` on. It never overwrites a file. */
export function createExport(paths: HivePaths, wanted: SessionExport): ExportFile {
  for (let { number } = wanted; ; number++) {
    // Secrets are masked before JSON.stringify, because an escaped line break (`\n`) could hide the start of a token.
    const record = { ...maskAll(wanted), number }
    const name = `${record.session.stamp}-${String(number).padStart(3, "0")}.json`
    if (createText(join(paths.exports, name), `${JSON.stringify(record, null, 2)}\n`)) return { name, record }
  }
}

/** Deletes all exports of all sessions but the newest `keep`. Other files in the folder stay and are not counted. */
export function pruneExports({ home, config }: Hive, keep = config.exports_kept) {
  const paths = hivePaths(home)
  const { exports } = listExports(paths)
  const old = exports.slice(keep)
  for (const { name } of old) removeText(join(paths.exports, name))
  return { kept: exports.length - old.length, removed: old.map(({ name }) => name) }
}

/** Returns the export, or the reason why the file is not one. */
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

/** Equal times are sorted by name, so that every process keeps the same files. */
function byNewest(a: ExportFile, b: ExportFile): number {
  return b.record.exported_at.localeCompare(a.record.exported_at) || b.name.localeCompare(a.name)
}

/** `<stamp>-<nnn>.json`. A number of more than nine digits is not ours. */
const NAME = /^(\d{10,12}(?:-\d+)?)-(\d{3,9})\.json$/
const MAX_BYTES = 2 << 20
