import { statSync } from "node:fs"
import { join } from "node:path"
import { leavingMems } from "../graph/mem-status.ts"
import { HiveError } from "../shared/error.ts"
import { findRepository } from "../shared/git-folders.ts"
import type { Source } from "../shared/ids.ts"
import { fileVersion, readTextOrUndefined } from "../shared/lenient-files.ts"
import { openFileStore } from "../store/file-store.ts"
import { hivePaths } from "../store/files/layout.ts"
import { usageFile } from "../store/files/usage-file.ts"
import type { Hive, SessionControl } from "./hive.ts"
import { loadConfig } from "./load-config.ts"
import { type HivePlace, locateHive } from "./locate.ts"

export interface OpenHiveInput {
  source: Source
  userConfig: string | null
  /** Options that override both configuration files. */
  options: { name: string; value: unknown }
  onBackgroundError?: (error: unknown) => void
  /** If it is left out, starting or ending a session throws. */
  host?: SessionControl
  onResearch?: Hive["onResearch"]
}

/** Finds and opens the hive of an existing folder. Writes nothing. */
export async function openHiveIn(from: string, input: OpenHiveInput): ReturnType<typeof openHiveAt> {
  if (!isFolder(from))
    throw new HiveError({
      code: "no_project",
      what: "There is no such folder.",
      why: "A project's folder must exist before HiveMind can open it.",
      use_instead: "Correct the path, or create the folder.",
      evidence: from,
    })
  return openHiveAt(locateHive(from), input)
}

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
    foldAfterBytes,
    onBackgroundError,
  })
  await store.ready()
  const { endSession, startSession, sessionState } = host
  const hive: Hive = {
    ...{ home, dir, branch, store, usage: usageFile(paths), config, source, endSession, startSession },
    ...(sessionState !== undefined && { sessionState }),
    ...(input.onResearch !== undefined && { onResearch: input.onResearch }),
  }
  return { hive, configProblems: problems }
}

/** The returned function gives the branch; null outside of git or if HEAD is detached. It reads `HEAD` only after a change. */
export function branchOf(dir: string): () => string | null {
  const gitDir = findRepository(dir)?.folders?.gitDir
  if (gitDir === undefined) return () => null
  const file = join(gitDir, "HEAD")
  let known = { version: "", branch: null as string | null }
  return () => {
    const version = fileVersion(file)
    if (version !== known.version) {
      const name = /^ref: refs\/heads\/(\S.*)/.exec(readTextOrUndefined(file) ?? "")?.[1]?.trim() ?? ""
      // `HEAD` names the branch `.invalid` if git keeps its refs in another format, such as reftable.
      known = { version, branch: name === "" || name === ".invalid" ? null : name }
    }
    return version === "" ? null : known.branch
  }
}

function isFolder(dir: string): boolean {
  return statSync(dir, { throwIfNoEntry: false })?.isDirectory() ?? false
}

async function noHost(): Promise<never> {
  throw new HiveError({
    code: "host_missing",
    what: "A session cannot be started or ended from here.",
    why: "Only a host such as OpenCode can do that, and this command does not run in one.",
    use_instead: "Run it in a session of the host.",
    evidence: "no host",
  })
}

const NO_HOST: SessionControl = { endSession: noHost, startSession: noHost }
