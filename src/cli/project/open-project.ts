import type { Hive } from "../../hive/hive.ts"
import { userConfigFile } from "../../hive/load-config.ts"
import { type HivePlace, type Located, locateHive } from "../../hive/locate.ts"
import { openHiveAt } from "../../hive/open.ts"
import { unreadFiles } from "../../migrate/migrate.ts"
import { withLegacyFiles } from "../../migrate/open-with-legacy.ts"
import { HiveError } from "../../shared/error.ts"
import { systemSource } from "../../shared/ids.ts"
import { hasHive, unreadableHive } from "../../store/files/layout.ts"
import { isKept, restoredText, restoreIfGone } from "../../sync/restore.ts"
import { isActiveHere } from "../install/active.ts"
import type { ConfigLocation } from "../install/find-opencode-config.ts"
import type { CliInput, CliResult } from "../terminal/command.ts"

type Asked = Pick<CliInput, "dir" | "io">

interface OpenedHive {
  /** The folder that holds `.hivemind/`. */
  project: string
  place: Located
  hive: Hive
  /** Messages about errors in the configuration files, with the values that are used instead. */
  configProblems: string[]
}

type Result = CliResult | undefined
type Job = (opened: OpenedHive) => Promise<Result> | Result

/** Opens the project's hive, with files of older versions, runs the job, and closes it. Writes only to restore a lost graph. */
export async function withHive(asked: Asked, job: Job): Promise<Result> {
  const place = locateHive(asked.dir)
  // A fresh clone has no `.hivemind/` yet. It counts as set up if its config loads HiveMind.
  const isSetUp =
    hasHive(place.home) || hasOldFiles(place) || (await isActiveHere(configLocation(place, asked.io)))
  if (!isSetUp) throw await notSetUp(place)
  const unreadable = unreadableHive(place.home)
  if (unreadable !== undefined) throw unreadable
  return withHiveAt(place, asked.io, async (opened) =>
    job({ ...opened, hive: await withLegacyFiles(opened.hive) }),
  )
}

/** Like `withHive`, but ignores files of older versions, and works before `init`: the first write creates the hive. */
export async function withAnyHive({ dir, io }: Asked, job: Job): Promise<Result> {
  return withHiveAt(locateHive(dir), io, job)
}

async function withHiveAt(place: Located, io: CliInput["io"], job: Job): Promise<Result> {
  const { hive, configProblems } = await openPlainHive(place, io)
  try {
    const restored = await restoreIfGone(hive)
    if (restored !== undefined) io.stderr.write(`${restoredText(restored)}.\n`)
    // Opened again, because the configuration came back too.
    if (restored?.config === true) return await withHiveAt(place, io, job)
    const result = await job({ project: place.home, place, hive, configProblems })
    return result && { ...result, data: { project: place.home, ...result.data } }
  } finally {
    await hive.store.close()
  }
}

/** Opens the hive without files of older versions, and restores nothing. The caller closes its store. */
export function openPlainHive(
  place: Located,
  io: CliInput["io"],
  options: unknown = undefined,
  from = "the command line",
) {
  return openHiveAt(place, {
    source: systemSource,
    userConfig: userConfigFile(io.env, io.home),
    options: { name: from, value: options },
  })
}

/** The note of `init` about an earlier hive whose records will come back; false if there is none. */
export async function backupNote(place: HivePlace): Promise<string | false> {
  return (
    (await isKept(place)) &&
    "there was a hive here before. Its records come back from the backup with the next command or session; `hivemind memory --reset` then deletes them for good."
  )
}

export async function requireHive(dir: string): Promise<Located> {
  const place = locateHive(dir)
  if (hasHive(place.home)) return place
  throw await notSetUp(place)
}

export function configLocation({ dir, home }: HivePlace, io: CliInput["io"]): ConfigLocation {
  return { projectDir: dir, hiveHome: home, home: io.home, env: io.env }
}

async function notSetUp(place: Located): Promise<HiveError> {
  const [why, use_instead] = hasOldFiles(place)
    ? [
        "The HiveMind files here were made by an older version and are not migrated yet.",
        "Run `hivemind import migrate` to convert them, and `hivemind init` to load the plugin.",
      ]
    : [
        place.repository === null
          ? "Neither this folder nor one above it has a `.hivemind/` folder."
          : "The repository of this folder has no `.hivemind/` folder.",
        (await isKept(place))
          ? "Run `hivemind sync --restore` to bring it back from the backup, or `hivemind init`: its records come back with the next command after it. `hivemind memory --reset` then deletes them."
          : "Run `hivemind init` in the project's folder, name the project with `--dir`, or get the log that others share with `hivemind sync --restore`.",
      ]
  return new HiveError({
    code: "no_project",
    what: "HiveMind is not set up here.",
    why,
    use_instead,
    evidence: place.home,
  })
}

function hasOldFiles({ home }: Located): boolean {
  return unreadFiles(home).length > 0
}
