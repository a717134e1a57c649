import type { Hive } from "../../hive/hive.ts"
import { userConfigFile } from "../../hive/load-config.ts"
import { type Located, locateHive } from "../../hive/locate.ts"
import { openHiveAt } from "../../hive/open.ts"
import { withOldFiles } from "../../migrate/fallback/open.ts"
import { untakenFiles } from "../../migrate/take-over/migrate.ts"
import { HiveError } from "../../shared/error.ts"
import { systemSource } from "../../shared/ids.ts"
import { hasHive, unreadableHive } from "../../store/files/layout.ts"
import { isKept, restoredText, restoreIfGone } from "../../sync/restore.ts"
import { mcpEntries } from "../install/mcp-install.ts"
import { configFiles, findInstalled, readConfigs } from "../install/opencode-config.ts"
import type { CliInput } from "../terminal/command.ts"

interface OpenedHive {
  /** The folder that holds `.hivemind/`. */
  project: string
  place: Located
  hive: Hive
  /** What is wrong in the configuration files, and what is used instead. */
  configProblems: string[]
}

/**
 * Opens the project's hive, runs `job` on it and closes it. Opening makes no folder, and writes nothing
 * but what it restores where all records are gone. Until old files are
 * taken over, the job sees what they hold, except for large files of mems.
 */
export function withHive<T>(
  input: Pick<CliInput, "dir" | "io">,
  job: (opened: OpenedHive) => Promise<T> | T,
): Promise<T> {
  return withHiveReading(input, "few mems", job)
}

/** The same, with the newest mems of large old files, and how many there are: reading them takes seconds. */
export function withOldMems<T>(
  input: Pick<CliInput, "dir" | "io">,
  job: (opened: OpenedHive) => Promise<T> | T,
): Promise<T> {
  return withHiveReading(input, "all", job)
}

async function withHiveReading<T>(
  { dir, io }: Pick<CliInput, "dir" | "io">,
  wanted: "all" | "few mems",
  job: (opened: OpenedHive) => Promise<T> | T,
): Promise<T> {
  const place = locateHive(dir)
  if (!hasHive(place.home) && !hasOldFiles(place) && !(await isLoadedIn(place, io)))
    throw await notSetUp(place)
  const unreadable = unreadableHive(place.home)
  if (unreadable !== undefined) throw unreadable
  return withHiveAt(place, io, async (opened) =>
    job({ ...opened, hive: await withOldFiles(opened.hive, wanted) }),
  )
}

/** The graph alone, also where nothing has been set up yet: what is written makes the hive. */
export async function withAnyHive<T>(
  { dir, io }: Pick<CliInput, "dir" | "io">,
  job: (opened: OpenedHive) => Promise<T> | T,
): Promise<T> {
  return withHiveAt(locateHive(dir), io, job)
}

async function withHiveAt<T>(
  place: Located,
  io: CliInput["io"],
  job: (opened: OpenedHive) => Promise<T> | T,
): Promise<T> {
  const { hive, configProblems } = await openHiveAt(place, {
    source: systemSource,
    userConfig: userConfigFile(io.env, io.home),
    options: { name: "the command line", value: undefined },
  })
  try {
    const restored = await restoreIfGone(hive)
    if (restored > 0) io.stderr.write(`${restoredText(restored)}.\n`)
    return await job({ project: place.home, place, hive, configProblems })
  } finally {
    await hive.store.close()
  }
}

/** Where the hive of a folder is; throws if nothing has been set up there. */
export async function requireHive(dir: string): Promise<Located> {
  const place = locateHive(dir)
  if (hasHive(place.home)) return place
  throw await notSetUp(place)
}

/** A fresh clone has the config but no `.hivemind/` yet: it is set up, and its graph is empty. */
async function isLoadedIn({ dir, home }: Located, io: CliInput["io"]): Promise<boolean> {
  const location = { projectDir: dir, hiveHome: home, home: io.home, env: io.env }
  for (const scope of ["project", "global"] as const) {
    // A broken config is for doctor to tell.
    const found = await readConfigs(configFiles(scope, location)).catch(() => [])
    if (findInstalled(scope, found) !== undefined) return true
  }
  return (await mcpEntries(location)).length > 0
}

async function notSetUp(place: Located): Promise<HiveError> {
  const hasLog = await isKept(place)
  return new HiveError({
    code: "no_project",
    what: "HiveMind is not set up here.",
    why: hasOldFiles(place)
      ? "What is here is an older tool's."
      : place.repository === null
        ? "Neither this folder nor one above it has a `.hivemind/` folder."
        : "The repository of this folder has no `.hivemind/` folder.",
    use_instead: hasOldFiles(place)
      ? "Files of an older tool are here: run `hivemind migrate` to take them over, and `hivemind init` to load the plugin."
      : hasLog
        ? "Run `hivemind sync --restore` to bring it back from the backup, or `hivemind init` to begin anew."
        : "Run `hivemind init` in the project's folder, or name the project with `--dir`.",
    evidence: place.home,
  })
}

function hasOldFiles({ home }: Located): boolean {
  return untakenFiles(home).length > 0
}
