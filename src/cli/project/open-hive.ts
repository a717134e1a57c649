import type { Hive } from "../../hive/hive.ts"
import { openHiveIn } from "../../hive/open.ts"
import { userConfigFile } from "../../hive/user-config.ts"
import { systemSource } from "../../shared/ids.ts"
import type { CliInput } from "../terminal/command.ts"
import { openProject } from "./project.ts"

interface OpenedHive {
  project: string
  hive: Hive
}

/** Runs a job on the graph of the project meant, and closes it. Opening writes nothing, and makes no folder. */
export async function withHive<T>(
  { dir, dirGiven, io }: Pick<CliInput, "dir" | "dirGiven" | "io">,
  job: (opened: OpenedHive) => Promise<T> | T,
): Promise<T> {
  const project = openProject(dir, dirGiven)
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
