import { resolve } from "node:path"
import type { Hive } from "../../hive/hive.ts"
import { noteBefore } from "../../store/before-hive.ts"
import { type Migration, readMigrations, writeMigrations } from "../../store/migrations.ts"

/** The one that was begun and is not done: of the project's own files, or of another folder's. */
export function underWay(home: string, from: string | undefined): Migration | undefined {
  const folder = from === undefined ? undefined : resolve(from)
  return allUnderWay(home).find((each) => each.from === folder)
}

/** What was begun last comes first. */
export function allUnderWay(home: string): Migration[] {
  return readMigrations(home)
    .filter(({ state }) => state === "running" || state === "moving")
    .sort((a, b) => b.started_at.localeCompare(a.started_at))
}

/** Notes that old files are to be taken over: from now on every start goes on with it until it is done. */
export function beginMigration({ home, source }: Pick<Hive, "home" | "source">, from?: string): Migration {
  const known = underWay(home, from)
  if (known !== undefined) return known
  noteBefore(home)
  const begun: Migration = {
    state: "running",
    ...(from === undefined ? {} : { from: resolve(from) }),
    started_at: new Date(source.now()).toISOString(),
    finished_at: null,
    moves: [],
    stays: {},
    config: null,
    report: null,
  }
  writeMigrations(home, [...readMigrations(home), begun])
  return begun
}

export function note(home: string, migration: Migration): void {
  const isOther = ({ started_at, from }: Migration) =>
    started_at !== migration.started_at || from !== migration.from
  writeMigrations(home, [...readMigrations(home).filter(isOther), migration])
}

/** Tells of a time whether another folder's files were taken over then, while this one was interrupted. */
export function othersSince(home: string, begun: Migration): (at: string) => boolean {
  const others = readMigrations(home).filter(
    ({ state, from, started_at }) =>
      state === "done" && from !== begun.from && started_at >= begun.started_at,
  )
  return (at) =>
    others.some(({ started_at, finished_at }) => started_at <= at && at <= (finished_at ?? started_at))
}
