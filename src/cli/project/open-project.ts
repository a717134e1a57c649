import type { Hive } from "../../hive/hive.ts"
import { userConfigFile } from "../../hive/load-config.ts"
import { openHiveIn } from "../../hive/open.ts"
import { HiveError } from "../../shared/error.ts"
import { systemSource } from "../../shared/ids.ts"
import { findProject, hasHive } from "../../store/files/layout.ts"
import type { CliInput } from "../terminal/command.ts"

interface OpenedHive {
  project: string
  hive: Hive
}

/** Opens the project's hive, runs `job` on it and closes it. Opening writes nothing and makes no folder. */
export async function withHive<T>(
  { dir, dirGiven, io }: Pick<CliInput, "dir" | "dirGiven" | "io">,
  job: (opened: OpenedHive) => Promise<T> | T,
): Promise<T> {
  const project = requireProject(dir, dirGiven)
  const { hive } = await openHiveIn(project, {
    source: systemSource,
    userConfig: userConfigFile(io.env, io.home),
    options: { name: "the command line", value: undefined },
  })
  try {
    return await job({ project, hive })
  } finally {
    await hive.store.close()
  }
}

/**
 * The nearest folder upwards that HiveMind is set up in, or just that folder if `--dir` names it. Throws if there is
 * none.
 */
export function requireProject(dir: string, dirGiven = false): string {
  const project = dirGiven ? (hasHive(dir) ? dir : undefined) : findProject(dir)
  if (project !== undefined) return project
  throw new HiveError({
    code: "no_project",
    what: "HiveMind is not set up here.",
    why: dirGiven
      ? "The folder has no `.hivemind/` in it."
      : "Neither this folder nor one above it has a `.hivemind/` folder.",
    use_instead: "Run `hivemind init` in the project's folder, or name the project with `--dir`.",
    evidence: dir,
  })
}
