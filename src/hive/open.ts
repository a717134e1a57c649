import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { leavingMems } from "../graph/mem-status.ts"
import { HiveError } from "../shared/error.ts"
import { findRepository } from "../shared/git-folders.ts"
import type { Source } from "../shared/ids.ts"
import { openFileStore } from "../store/file-store.ts"
import { hivePaths } from "../store/files/layout.ts"
import { usageFile } from "../store/files/usage-file.ts"
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
  /** Session control; without a host, using it is an error. */
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

/**
 * Returns the branch of the worktree that a folder is in; null outside of git and for a detached HEAD. Called on every
 * write: reads `HEAD` again only if it has changed.
 */
export function branchOf(dir: string): () => string | null {
  const gitDir = findRepository(dir)?.folders?.gitDir
  if (gitDir === undefined) return () => null
  const file = join(gitDir, "HEAD")
  let known = { signature: "", branch: null as string | null }
  return () => {
    try {
      const { mtimeMs, ino, size } = statSync(file)
      const signature = `${mtimeMs} ${ino} ${size}`
      if (signature !== known.signature) known = { signature, branch: branchIn(readFileSync(file, "utf8")) }
      return known.branch
    } catch {
      return null // The repository is gone, or not readable.
    }
  }
}

function branchIn(head: string): string | null {
  const name = /^ref: refs\/heads\/(\S.*)/.exec(head)?.[1]?.trim() ?? ""
  // A repository with another ref format has a name here that no branch can have.
  return name === "" || name === ".invalid" ? null : name
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
