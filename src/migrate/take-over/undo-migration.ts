import { existsSync } from "node:fs"
import { join } from "node:path"
import type { Hive } from "../../hive/hive.ts"
import { signOf } from "../../store/files/file-sign.ts"
import { hivePaths } from "../../store/files/layout.ts"
import { removeText } from "../../store/files/text-file.ts"
import {
  type Migration,
  moveFiles,
  readMigrations,
  replaceConfig,
  whileMigrating,
  writeMigrations,
} from "../../store/migrations.ts"
import { graphOnly } from "../graph-only.ts"
import { leaveIfEmpty } from "../leave-empty.ts"
import { type TakenBack, takeBack } from "../take-back.ts"
import { MIGRATE } from "./migrate.ts"

export interface Undone extends TakenBack {
  /** Files that are where they were. */
  files: string[]
  /** Copies of what such a file was earlier: the old tool has written it again since. */
  earlier: string[]
  /** What could not be put back, and why. */
  left: string[]
}

/** Takes a migration back: the graph without its records, the files as they were. What was built upon since stays. */
export async function undoMigration(
  given: Hive,
  { onProgress, onWait }: { onProgress?: (done: number) => void; onWait?: () => void } = {},
): Promise<Undone | undefined> {
  const { hive } = graphOnly(given)
  const undone = standing(hive.home).length === 0 ? undefined : await undoAll(hive, onProgress, onWait)
  await leaveIfEmpty(hive)
  return undone
}

function undoAll(hive: Hive, onProgress?: (done: number) => void, onWait?: () => void): Promise<Undone> {
  return whileMigrating(
    hive.home,
    async () => {
      const isAgain = standing(hive.home).some(({ state }) => state === "undoing")
      // From now on nothing is taken over again by itself.
      rewrite(hive.home, (migration) => ({ ...migration, state: "undoing" }))
      const taken = await takeBack(hive, MIGRATE.tool, onProgress === undefined ? {} : { onProgress })
      const back = putFilesBack(hive, isAgain)
      const at = new Date(hive.source.now()).toISOString()
      rewrite(hive.home, (migration) => ({ ...migration, state: "undone", finished_at: at, stays: {} }))
      return { ...taken, ...back }
    },
    onWait,
  )
}

function standing(home: string): Migration[] {
  return readMigrations(home).filter(({ state }) => state !== "undone")
}

function rewrite(home: string, change: (migration: Migration) => Migration): void {
  writeMigrations(
    home,
    readMigrations(home).map((each) => (each.state === "undone" ? each : change(each))),
  )
}

function putFilesBack({ home }: Hive, isAgain: boolean): Pick<Undone, "files" | "earlier" | "left"> {
  const files: string[] = []
  const earlier: string[] = []
  const left: string[] = []
  for (const { moves, config } of standing(home).toReversed()) {
    for (const { from, to } of moves) {
      // One that was interrupted has put some back.
      const isBack = isAgain && existsSync(join(home, from)) && !existsSync(join(home, to))
      const isMoved = moveFiles(home, [{ from: to, to: from }]).length > 0
      if (isBack || isMoved || dropCopy(join(home, from), join(home, to))) files.push(from)
      // The newest comes first.
      else if (files.includes(from) && existsSync(join(home, to))) earlier.push(to)
      else left.push(whyLeft(home, from, to))
    }
    if (config !== null && !replaceConfig(hivePaths(home), config.after, config.before))
      left.push("system/config.json: it was changed since")
  }
  return { files, earlier, left }
}

/** Why a copy was not put back. */
function whyLeft(home: string, from: string, to: string): string {
  if (!existsSync(join(home, to))) return `${from}: its copy ${to} is gone`
  if (existsSync(join(home, from))) return `${from}: the file there is kept, the other version is ${to}`
  return `${from}: ${to} could not be moved there`
}

/** Git may have brought the file back as it was: then the copy has done its work. */
function dropCopy(path: string, copy: string): boolean {
  if (!existsSync(path) || !existsSync(copy)) return false
  const sign = signOf(copy)
  if (sign === undefined || sign !== signOf(path)) return false
  removeText(copy)
  return true
}
