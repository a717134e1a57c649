import { statSync } from "node:fs"
import { leavingMems } from "../graph/staleness.ts"
import { HiveError } from "../shared/error.ts"
import type { Source } from "../shared/ids.ts"
import { openFileStore } from "../store/file-store.ts"
import { hivePaths } from "../store/files/layout.ts"
import { usageFile } from "../store/files/usage-file.ts"
import { branchOf } from "./branch.ts"
import { mayBeInGit } from "./git-index.ts"
import type { Hive, SessionControl } from "./hive.ts"
import { loadConfig } from "./load-config.ts"
import { type HivePlace, locateHive } from "./locate.ts"

export interface OpenHiveInput {
  source: Source
  /** A config file below the project's own, or none. */
  userConfig: string | null
  /** Options from the caller; they win over both files. */
  options: { name: string; value: unknown }
  onBackgroundError?: (error: unknown) => void
  /** What only the host can do; without one, asking for it is an error. */
  host?: SessionControl
  onResearch?: Hive["onResearch"]
}

/** Opens the hive of a folder, wherever in its project that is. Writes nothing, and the folder must be there. */
export async function openHiveIn(from: string, input: OpenHiveInput): ReturnType<typeof openHiveAt> {
  if (!isFolder(from)) throw noFolder(from)
  return openHiveAt(locateHive(from), input)
}

/** Opens the graph of a project with its configuration. Writes nothing. */
export async function openHiveAt(
  { home, dir }: HivePlace,
  input: OpenHiveInput,
): Promise<{ hive: Hive; configProblems: string[] }> {
  const { source, userConfig, options, onBackgroundError = () => {}, host = NO_HOST } = input
  const paths = hivePaths(home)
  const { config, problems } = await loadConfig({ user: userConfig, project: paths.config }, options)
  const foldAfterBytes = config.fold_after_kb * 1024
  const branch = branchOf(dir)
  const store = openFileStore(home, {
    source,
    leaving: leavingMems,
    branch,
    isInGit: () => mayBeInGit(home),
    foldAfterBytes,
    onBackgroundError,
  })
  await store.ready()
  const { endSession, startSession, sessionState } = host
  const sessions = {
    ...{ endSession, startSession },
    ...(sessionState === undefined ? {} : { sessionState }),
    ...(input.onResearch === undefined ? {} : { onResearch: input.onResearch }),
  }
  return {
    hive: { home, dir, branch, store, usage: usageFile(paths), config, source, ...sessions },
    configProblems: problems,
  }
}

function isFolder(dir: string): boolean {
  return statSync(dir, { throwIfNoEntry: false })?.isDirectory() ?? false
}

function noFolder(dir: string): HiveError {
  return new HiveError({
    code: "no_project",
    what: "There is no such folder.",
    why: "A project's folder must be there before HiveMind is opened in it.",
    use_instead: "Correct the path, or make the folder.",
    evidence: dir,
  })
}

async function noHost(): Promise<never> {
  throw new HiveError({
    code: "host_missing",
    what: "This needs a host with sessions.",
    why: "Sessions are started and ended by the host, and this is not running in one.",
    use_instead: "Ask for it in a session of the host.",
    evidence: "no host",
  })
}

const NO_HOST: SessionControl = { endSession: noHost, startSession: noHost }
