import { existsSync } from "node:fs"
import { join, resolve } from "node:path"
import type { Hive } from "../../hive/hive.ts"
import type { Author } from "../../schemas/entry.ts"
import { hivePaths } from "../../store/files/layout.ts"
import {
  type Migration,
  moveFiles,
  readMigrations,
  replaceConfig,
  whileMigrating,
} from "../../store/migrations.ts"
import type { Found } from "../found.ts"
import { graphOnly } from "../graph-only.ts"
import { type LandOptions, landFound } from "../land.ts"
import { findOldFiles } from "../older/find-files.ts"
import type { InGraph } from "../older/known.ts"
import type { OldFile } from "../older/old-file.ts"
import { readFiles } from "../older/read-files.ts"
import type { Report } from "../report.ts"
import { isAsLeft } from "../take-back.ts"
import { graphFor, madeEarlier } from "./made-earlier.ts"
import { openSettings } from "./settings-file.ts"
import { markOf, marksOf, movesFor, nameIn, signsOf, takenFiles } from "./taken-files.ts"
import { beginMigration, note, othersSince, underWay } from "./under-way.ts"

export interface MigrateOptions {
  /** Tells what would become of everything, and writes nothing. */
  dryRun?: boolean
  /** Another project's folder: its files stay as they are. */
  from?: string
  /** Another process is at it, and this one waits. */
  onWait?: () => void
  /** How many source records have been dealt with, and which file is being read. */
  onProgress?: (done: number, file: string) => void
}

export interface Migrated {
  /** Null where there was nothing to take over. */
  report: Report | null
  /** Files that are now kept beside as `.bak`; of a dry run, those that would be. */
  moves: Migration["moves"]
}

/**
 * Takes over what older tools of this family have left. The graph comes first, then the originals are kept aside, and
 * what says that it is done is written last: interrupted anywhere, the next run goes on, and run again it changes
 * nothing.
 */
export async function migrate(given: Hive, options: MigrateOptions = {}): Promise<Migrated> {
  const { hive, landedFirst } = graphOnly(given)
  if (options.dryRun === true) return tryOut(hive, options)
  const { from } = options
  if (filesFor(hive, from).length === 0 && underWay(hive.home, from) === undefined)
    return { report: null, moves: [] }
  return whileMigrating(
    hive.home,
    async () => {
      const finished = finishMoving(hive, from)
      const files = filesFor(hive, from)
      if (files.length === 0) return finished ?? endWithout(hive, from)
      // Writes need records of this project's own files before their turn comes.
      return takeOver(hive, files, { ...options, landedFirst: from === undefined ? landedFirst : NONE })
    },
    options.onWait,
  )
}

/**
 * The files of older tools, in a project or in another folder, that have not been taken over yet. One that has come back
 * as it was is known.
 */
export function untakenFiles(home: string, folder = home): OldFile[] {
  const isTaken = takenFiles(home)
  const denied = folder === home ? readMigrations(home).flatMap((each) => each.denied ?? []) : []
  return findOldFiles(folder, new Set(denied)).filter((file) => !isTaken(file))
}

function filesFor({ home }: Hive, from: string | undefined): OldFile[] {
  if (from === undefined) return untakenFiles(home)
  return findOldFiles(from).map((file) => ({ ...file, stays: true }))
}

async function takeOver(
  hive: Hive,
  files: readonly OldFile[],
  { from, onProgress, landedFirst }: MigrateOptions & { landedFirst: ReadonlySet<string> },
): Promise<Migrated> {
  const { home } = hive
  const begun = beginMigration(hive, from)
  // Before they are read: what is written meanwhile is read the next time. This very project's are still to be moved.
  const stays = from !== undefined && resolve(from) === resolve(home) ? {} : signsOf(home, files)
  const marks = marksOf(home, files)
  const { inGraph, ...before } = await graphBefore(hive, landedFirst, from)
  const settings = await openSettings(hivePaths(home).config)
  let reading = ""
  const reader = readFiles(
    from ?? home,
    files,
    ({ name }) => {
      reading = name
    },
    inGraph,
  )
  const report = await landFound(hive, placed(home, reader, from), {
    by: MIGRATE,
    ...before,
    landedFirst,
    files: () => files.map(({ name }) => name),
    isRead: placesIn(home, files),
    onSetting: settings.set,
    onProgress: (done) => onProgress?.(done, reading),
  })
  const moving: Migration = {
    ...begun,
    state: "moving",
    moves: movesFor(home, files),
    stays,
    marks,
    denied: files.flatMap(({ name, isDenied }) => (isDenied === true ? [name] : [])),
    config: settings.change(),
    report,
  }
  note(home, moving)
  return finish(hive, moving)
}

async function tryOut(hive: Hive, { from, onProgress }: MigrateOptions): Promise<Migrated> {
  const files = filesFor(hive, from)
  if (files.length === 0) return { report: null, moves: [] }
  const made = await madeEarlier(hive, MIGRATE.tool, NONE)
  let reading = ""
  const reader = readFiles(
    from ?? hive.home,
    files,
    ({ name }) => {
      reading = name
    },
    graphFor(hive, made, NONE),
  )
  const settings = await openSettings(hivePaths(hive.home).config)
  const report = await landFound(hive, placed(hive.home, reader, from), {
    by: MIGRATE,
    dryRun: true,
    isUntouched: (there) => isAsLeft(there, made.get(there.id)),
    files: () => files.map(({ name }) => name),
    onSetting: settings.set,
    onProgress: (done) => onProgress?.(done, reading),
  })
  return { report, moves: movesFor(hive.home, files) }
}

/** Goes on with a migration whose records are all in the graph. */
function finishMoving(hive: Hive, from: string | undefined): Migrated | undefined {
  const begun = underWay(hive.home, from)
  return begun?.state === "moving" ? finish(hive, begun) : undefined
}

function finish({ home, source }: Hive, moving: Migration): Migrated {
  const { config, report, marks = {}, ...rest } = moving
  // What the user has changed meanwhile stays, and so does a file that was written after it was read.
  if (config !== null) replaceConfig(hivePaths(home), config.before, config.after)
  moveFiles(
    home,
    moving.moves.filter(({ from }) => markOf(join(home, from)) === (marks[from] ?? markOf(join(home, from)))),
  )
  const moves = moving.moves.filter(({ to }) => existsSync(join(home, to)))
  const finished_at = new Date(source.now()).toISOString()
  note(home, { ...rest, config, report, moves, state: "done", finished_at })
  return { report: report as Report, moves }
}

/** What was begun may have nothing left to take over: somebody has removed the files. */
function endWithout({ home, source }: Hive, from: string | undefined): Migrated {
  const begun = underWay(home, from)
  if (begun !== undefined)
    note(home, { ...begun, state: "done", finished_at: new Date(source.now()).toISOString() })
  return { report: null, moves: [] }
}

/**
 * What readers of the old files are to know of the graph. What this very migration has written, also before its turn came,
 * comes from its file again; `earlier` is what it wrote until it was interrupted.
 */
export async function graphBefore(
  hive: Hive,
  landedFirst: ReadonlySet<string>,
  from?: string,
): Promise<
  Required<Pick<LandOptions, "earlier" | "renewed" | "touched" | "isUntouched">> & { inGraph: InGraph }
> {
  const begun = underWay(hive.home, from)
  const nothing = { earlier: NONE, renewed: NONE, touched: NONE }
  const written = begun === undefined ? nothing : await writtenSince(hive, begun)
  const { earlier } = written
  const made = await madeEarlier(hive, MIGRATE.tool, earlier)
  const isOwn = { has: (id: string) => earlier.has(id) || landedFirst.has(id) }
  return {
    ...written,
    isUntouched: (there) => isAsLeft(there, made.get(there.id)),
    inGraph: graphFor(hive, made, isOwn),
  }
}

/** What an earlier run of this migration has added, and changed of what was there, before it was interrupted. */
async function writtenSince({ home, store }: Hive, begun: Migration) {
  const since = begun.started_at
  const isOthers = othersSince(home, begun)
  const entries = (await store.log({ tool: MIGRATE.tool, since })).filter(({ at }) => !isOthers(at))
  const ops = entries.flatMap((entry) => entry.ops)
  const earlier = new Set(ops.flatMap((op) => (op.op === "add" ? [op.record.id] : [])))
  const changed = ops.flatMap((op) => (op.op === "set" && !earlier.has(op.id) ? [op.id] : []))
  const others = (await store.log({ besides: [MIGRATE.tool], since })).flatMap((entry) => entry.ops)
  const touched = new Set(others.flatMap((op) => (op.op === "set" ? [op.id] : [])))
  return { earlier, renewed: new Set(changed), touched }
}

/** Two projects have files of the same names: another one's have the way there before them. */
async function* placed(
  home: string,
  found: AsyncIterable<Found>,
  from: string | undefined,
): AsyncGenerator<Found, void, void> {
  const way = from === undefined ? "" : nameIn(home, from)
  for await (const each of found) yield way === "" ? each : { ...each, from: `${way}/${each.from}` }
}

function placesIn(home: string, files: readonly OldFile[]): Required<LandOptions>["isRead"] {
  const names = files.flatMap(({ path, isUnreadable }) => (isUnreadable === true ? [] : [nameIn(home, path)]))
  return ({ from }) => names.some((name) => from === name || from.startsWith(`${name} `))
}

const NONE: ReadonlySet<string> = new Set()
export const MIGRATE: Author = { tool: "migrate", session: null, agent: null }
