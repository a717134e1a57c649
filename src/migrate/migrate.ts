import { createHash } from "node:crypto"
import { createReadStream, existsSync, lstatSync } from "node:fs"
import { join, relative, sep } from "node:path"
import type { Hive } from "../hive/hive.ts"
import type { Author } from "../schemas/entry.ts"
import { hivePaths } from "../store/files/layout.ts"
import { signOf } from "../store/files/text-file.ts"
import {
  type Migration,
  moveFiles,
  readMigration,
  replaceConfig,
  whileMigrating,
  writeMigration,
} from "../store/migrations.ts"
import { noteBefore } from "../store/older-tool.ts"
import { graphIn, type LogPart } from "../store/store.ts"
import type { LegacyFile } from "./legacy/context.ts"
import { findLegacyFiles } from "./legacy/find-files.ts"
import { readLegacyFiles } from "./legacy/read-files.ts"
import { openConfigEdit } from "./legacy/settings.ts"
import type { Report, SourceRecord } from "./records/report.ts"
import { writeRecords } from "./records/write-records.ts"

export interface MigrateOptions {
  /** Only counts what would happen to each record. Writes nothing. */
  dryRun?: boolean
  /** The folder of another project. Its files are read but not renamed. */
  from?: string
  /** Called if another process is migrating and this one has to wait. */
  onWait?: () => void
  /** Called with the number of finished source records and the current file. */
  onProgress?: (done: number, file: string) => void
}

export interface Migrated {
  /** Null if there was nothing to migrate. */
  report: Report | null
  /** Files that were renamed to `.bak`, or would be without `dryRun`. */
  moves: Migration["moves"]
}

/**
 * Migrates the files of older tools: writes the records, renames the old files, and then marks the migration as done. If it
 * is interrupted, the next run continues.
 */
export async function migrate(given: Hive, options: MigrateOptions = {}): Promise<Migrated> {
  const { from, dryRun = false, onWait } = options
  const hive = { ...given, store: graphIn(given.store) }
  const { home } = hive
  if (dryRun) return migrateFiles(hive, options)
  if (filesFor(home, from).length === 0 && (from !== undefined || !isUnfinished(home))) return NOTHING
  return whileMigrating(
    home,
    async () => {
      const mark = currentMark(home)
      if (from === undefined && mark.state === "moving") return finishMoving(hive, mark)
      return migrateFiles(hive, options)
    },
    onWait,
  )
}

/** Finds files of older tools that no migration has read, or that have changed since. */
export function unreadFiles(home: string, folder = home): LegacyFile[] {
  const { signs } = currentMark(home)
  const isRead = ({ path }: LegacyFile) => signs[nameIn(home, path)]?.includes(signOf(path) ?? "") === true
  return findLegacyFiles(folder).filter((file) => !isRead(file))
}

/** Reads the records of unread files. Other old files are read too, because unread ones refer to their records. */
export function readUnread(
  home: string,
  unread: readonly LegacyFile[],
  from?: string,
  onFile?: (file: LegacyFile) => void,
): AsyncGenerator<SourceRecord, void, void> {
  const paths = new Set(unread.map(({ path }) => path))
  const copies = new Map(currentMark(home).moves.map((move) => [move.from, join(home, move.to)]))
  const files = from === undefined ? findLegacyFiles(home, copies) : findLegacyFiles(from)
  return readLegacyFiles(from ?? home, files, ({ path }) => !paths.has(path), onFile)
}

/** The files to read: all files of another folder, or only unread files of the project. */
function filesFor(home: string, from: string | undefined): LegacyFile[] {
  return from === undefined ? unreadFiles(home) : findLegacyFiles(from)
}

/** Marks the migration as running, so that every start continues it until it is done. */
export function beginMigration({ home, source }: Pick<Hive, "home" | "source">): Migration {
  const mark = currentMark(home)
  if (mark.state === "running") return mark
  noteBefore(home)
  const started_at = new Date(source.now()).toISOString()
  const begun: Migration = { ...mark, state: "running", started_at, finished_at: null, report: null }
  writeMigration(home, begun)
  return begun
}

async function migrateFiles(hive: Hive, { from, dryRun = false, onProgress }: MigrateOptions) {
  const { home, source } = hive
  const unread = filesFor(home, from)
  if (unread.length === 0) {
    // The files of an unfinished migration have been deleted meanwhile.
    const finished_at = new Date(source.now()).toISOString()
    if (!dryRun && isUnfinished(home))
      writeMigration(home, { ...currentMark(home), state: "done", finished_at })
    return NOTHING
  }
  const begun = dryRun || from !== undefined ? undefined : beginMigration(hive)
  if (!dryRun && from !== undefined) noteBefore(home)
  // Hashes are taken before reading: if a file changes in between, the next run reads it again.
  const signs = dryRun ? {} : await signsOf(home, unread)
  const earlier = begun === undefined ? undefined : await findEarlier(hive, begun)
  const settings = await openConfigEdit(hivePaths(home).config)
  let reading = ""
  const found = readUnread(home, unread, from, ({ name }) => {
    reading = name
  })
  const folder = from === undefined ? "" : nameIn(home, from)
  const report = await writeRecords(hive, withFolder(found, folder), {
    by: MIGRATE,
    dryRun,
    ...(earlier !== undefined && { earlier }),
    files: () => unread.map(({ name }) => name),
    isRead: placesIn(home, unread),
    onSetting: settings.set,
    onProgress: (done) => onProgress?.(done, reading),
  })
  const renamed = from === undefined ? unread.filter(({ stays }) => !stays) : []
  const moves = renamed.map(({ name }) => ({ from: name, to: freeName(home, name) }))
  if (dryRun) return { report, moves }
  const mark = currentMark(home)
  const change = settings.change()
  const noted: Migration = {
    ...{ ...mark, moves: [...mark.moves, ...moves], signs: withSigns(mark.signs, signs) },
    config: joinedChange(mark.config, change),
  }
  if (begun !== undefined) {
    const moving: Migration = { ...noted, state: "moving", report }
    writeMigration(home, moving)
    return finishMoving(hive, moving)
  }
  // The files of another project are not renamed. An unfinished migration of this project stays unfinished.
  if (change !== null) replaceConfig(hivePaths(home), change.before, change.after)
  const isOpen = mark.state === "running" || mark.state === "moving"
  const finished_at = new Date(source.now()).toISOString()
  writeMigration(home, isOpen ? noted : { ...noted, state: "done", finished_at, report })
  return { report, moves }
}

/** Renames the old files and marks the migration as done, after all records were written. */
async function finishMoving({ home, source }: Hive, mark: Migration): Promise<Migrated> {
  const { config, report } = mark
  // A file or configuration that was changed after it was read stays as it is.
  if (config !== null) replaceConfig(hivePaths(home), config.before, config.after)
  for (const move of mark.moves) {
    const path = join(home, move.from)
    const isSame = existsSync(path) && mark.signs[move.from]?.at(-1) === (await contentSign(path))
    if (isSame && !existsSync(join(home, move.to))) moveFiles(home, [move])
  }
  const moves = mark.moves.filter(({ to }) => existsSync(join(home, to)))
  writeMigration(home, { ...mark, moves, state: "done", finished_at: new Date(source.now()).toISOString() })
  const { files } = report as Report
  const isLast = ({ from }: { from: string }, at: number) =>
    moves.findLastIndex((each) => each.from === from) === at
  const own = moves.filter((move, at) => files.includes(move.from) && isLast(move, at))
  return { report: report as Report, moves: own }
}

/** The saved state of the migration, or an empty one if there was none or it was undone. */
function currentMark(home: string): Migration {
  const mark = readMigration(home)
  return mark === undefined || mark.state === "undone" ? EMPTY : mark
}

function isUnfinished(home: string): boolean {
  const { state } = currentMark(home)
  return state === "running" || state === "moving"
}

/** Finds the records that an interrupted run has written. The value is true if the record was changed since. */
async function findEarlier({ store }: Hive, { started_at: since }: Migration): Promise<Map<string, boolean>> {
  const opsOf = async (part: LogPart) => (await store.log({ ...part, since })).flatMap(({ ops }) => ops)
  const earlier = new Map<string, boolean>()
  for (const op of await opsOf({ tool: MIGRATE.tool })) if (op.op === "add") earlier.set(op.record.id, false)
  for (const op of await opsOf({ besides: [MIGRATE.tool] }))
    if (op.op === "set" && earlier.has(op.id)) earlier.set(op.id, true)
  return earlier
}

/** Returns a free name for a `.bak` file, with a number if older tools have left `.bak` files too. */
function freeName(home: string, name: string): string {
  for (let n = 1; ; n++) {
    const free = n === 1 ? `${name}.bak` : `${name}.bak-${n}`
    if (!existsSync(join(home, free))) return free
  }
}

async function signsOf(home: string, files: readonly LegacyFile[]): Promise<Record<string, string>> {
  const signs: Record<string, string> = {}
  for (const { path, isUnreadable } of files) {
    const sign = isUnreadable === true ? undefined : await contentSign(path)
    if (sign !== undefined) signs[nameIn(home, path)] = sign
  }
  return signs
}

function withSigns(known: Migration["signs"], signs: Record<string, string>): Migration["signs"] {
  const all = { ...known }
  for (const [name, sign] of Object.entries(signs))
    all[name] = [...(known[name] ?? []).filter((each) => each !== sign), sign]
  return all
}

/** Returns what `signOf` returns, but reads in pieces, so that a large file does not block the event loop. */
async function contentSign(path: string): Promise<string | undefined> {
  if (!lstatSync(path).isFile()) return signOf(path)
  const hash = createHash("sha1")
  let size = 0
  for await (const chunk of createReadStream(path)) {
    hash.update(chunk)
    size += chunk.length
  }
  return `${size}-${hash.digest("hex").slice(0, 16)}`
}

/** Joins two edits of the configuration, so that an undo restores its oldest text, unless the user edited it in between. */
function joinedChange(first: Migration["config"], second: Migration["config"]): Migration["config"] {
  if (first === null || second === null) return second ?? first
  return first.after === second.before ? { before: first.before, after: second.after } : second
}

/** Both projects have files of the same names, so records of the other project get its folder's name. */
async function* withFolder(found: AsyncIterable<SourceRecord>, folder: string) {
  for await (const each of found) yield folder === "" ? each : { ...each, from: `${folder}/${each.from}` }
}

function placesIn(home: string, files: readonly LegacyFile[]): ({ from }: { from: string }) => boolean {
  const readable = files.filter(({ isUnreadable }) => isUnreadable !== true)
  const names = readable.map(({ path }) => nameIn(home, path))
  return ({ from }) => names.some((name) => from === name || from.startsWith(`${name} `))
}

function nameIn(home: string, path: string): string {
  return relative(home, path).split(sep).join("/")
}

export const MIGRATE: Author = { tool: "migrate", session: null, agent: null }
const NOTHING: Migrated = { report: null, moves: [] }
const EMPTY: Migration = {
  ...{ state: "done", started_at: "", finished_at: null, moves: [], signs: {}, config: null, report: null },
}
