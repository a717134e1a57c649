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
  /** Errors in the configuration files, and the values used instead. */
  configProblems: string[]
}

type Result = CliResult | undefined
type Job = (opened: OpenedHive) => Promise<Result> | Result

/**
 * Opens the project's hive, runs `job` on it and closes it. Opening makes no folder, and writes nothing
 * but what it restores if all records are gone. Until old files are migrated, the job sees their records too.
 */
export async function withHive(asked: Asked, job: Job): Promise<Result> {
  const place = locateHive(asked.dir)
  // A fresh clone has the config but no `.hivemind/` yet: it is set up, and its graph is empty.
  const isSetUp =
    hasHive(place.home) || hasOldFiles(place) || (await isActiveHere(configLocation(place, asked.io)))
  if (!isSetUp) throw await notSetUp(place)
  const unreadable = unreadableHive(place.home)
  if (unreadable !== undefined) throw unreadable
  return withHiveAt(place, asked.io, async (opened) =>
    job({ ...opened, hive: await withLegacyFiles(opened.hive) }),
  )
}

/** The graph alone, also before `init`: the first write makes the hive. */
export async function withAnyHive({ dir, io }: Asked, job: Job): Promise<Result> {
  return withHiveAt(locateHive(dir), io, job)
}

async function withHiveAt(place: Located, io: CliInput["io"], job: Job): Promise<Result> {
  const { hive, configProblems } = await openPlainHive(place, io)
  try {
    const restored = await restoreIfGone(hive)
    if (restored > 0) io.stderr.write(`${restoredText(restored)}.\n`)
    const result = await job({ project: place.home, place, hive, configProblems })
    return result && { ...result, data: { project: place.home, ...result.data } }
  } finally {
    await hive.store.close()
  }
}

/** The hive of a folder as it is, without old files and without restoring it. Close its store. */
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

/** The location of a folder's hive; throws if nothing has been set up there. */
export async function requireHive(dir: string): Promise<Located> {
  const place = locateHive(dir)
  if (hasHive(place.home)) return place
  throw await notSetUp(place)
}

/** The folders in which the configs of a project may be. */
export function configLocation({ dir, home }: HivePlace, io: CliInput["io"]): ConfigLocation {
  return { projectDir: dir, hiveHome: home, home: io.home, env: io.env }
}

async function notSetUp(place: Located): Promise<HiveError> {
  const [why, use_instead] = hasOldFiles(place)
    ? [
        "The files here are of an older version.",
        "Run `hivemind import migrate` to take them over, and `hivemind init` to load the plugin.",
      ]
    : [
        place.repository === null
          ? "Neither this folder nor one above it has a `.hivemind/` folder."
          : "The repository of this folder has no `.hivemind/` folder.",
        (await isKept(place))
          ? "Run `hivemind sync --restore` to bring it back from the backup, or `hivemind init` to start empty."
          : "Run `hivemind init` in the project's folder, or name the project with `--dir`.",
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
