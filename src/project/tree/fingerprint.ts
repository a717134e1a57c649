import { createHash } from "node:crypto"
import { delimiter, join } from "node:path"
import { findRepository } from "../../shared/git-folders.ts"
import { HIVE_FOLDER } from "../../store/files/layout.ts"
import { withScratchFolder } from "../../store/files/scratch-folder.ts"
import { GitFailure, runGit } from "../git/run-git.ts"
import { scanTree } from "./scan.ts"

/**
 * Names the state of a work tree: equal for equal content, wherever its commits stand. With git it is the id of the tree
 * that a commit of everything would have, made in an index and with objects of its own, so that nothing of the user's is
 * touched. Without git it is a hash over what a scan saw. Undefined where nobody can tell.
 */
export async function fingerprintTree(dir: string): Promise<string | undefined> {
  const folders = findRepository(dir)?.folders
  if (folders == null) return fingerprintByScan(dir)
  try {
    return `git ${await treeOf(dir, folders)}`
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error
    return fingerprintByScan(dir)
  }
}

function treeOf(dir: string, { gitDir, commonDir }: { gitDir: string; commonDir: string }): Promise<string> {
  // There is no index before the first add.
  const content = { folders: ["objects"], copies: { index: join(gitDir, "index") } }
  return withScratchFolder(content, async (scratch) => {
    const env = {
      GIT_INDEX_FILE: join(scratch, "index"),
      GIT_OBJECT_DIRECTORY: join(scratch, "objects"),
      GIT_ALTERNATE_OBJECT_DIRECTORIES: quoted(join(commonDir, "objects")),
    }
    const options = { env, timeoutMs: LIMIT_MS }
    await addAll(dir, options)
    return (await runGit(dir, [...PLAIN, "write-tree"], options)).toString("latin1").trim()
  })
}

/** A file that cannot be read does not keep the others out. */
async function addAll(
  dir: string,
  options: { env: Record<string, string>; timeoutMs: number },
): Promise<void> {
  const everything = ["--", ".", `:(exclude)${HIVE_FOLDER}`]
  try {
    await runGit(dir, [...PLAIN, "add", "-A", "--ignore-errors", ...everything], options)
  } catch (error) {
    if (!(error instanceof GitFailure) || error.exit !== SOME_LEFT_OUT) throw error
  }
}

async function fingerprintByScan(dir: string): Promise<string | undefined> {
  const { files, stopped } = await scanTree(dir)
  if (stopped !== null) return undefined
  const hash = createHash("sha256")
  for (const path of [...files.keys()].sort()) hash.update(`${path}\0${files.get(path)}\0`)
  return `scan ${hash.digest("hex")}`
}

function quoted(path: string): string {
  return path.includes(delimiter) || path.startsWith('"') ? JSON.stringify(path) : path
}

// No hooks, no refusals over line ends, no time for making objects small that are gone in a moment, and nothing put into
// the store of large files.
const PLAIN = [
  "core.hooksPath=/dev/null",
  "core.safecrlf=false",
  "core.compression=0",
  "core.fsync=none",
  "advice.addEmbeddedRepo=false",
  "filter.lfs.clean=",
  "filter.lfs.process=",
  "filter.lfs.required=false",
].flatMap((setting) => ["-c", setting])
const LIMIT_MS = 30_000
const SOME_LEFT_OUT = 1
