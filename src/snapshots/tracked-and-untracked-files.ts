import { existsSync, renameSync, rmSync, statSync, utimesSync } from "node:fs"
import { copyFile } from "node:fs/promises"
import { join } from "node:path"
import { signatureOf } from "../project/files/walk-folder.ts"
import { GitFailure } from "../project/git/run-git.ts"
import { editTree, foldersAbove, isFolderIn, parseTree } from "../project/git/write-objects.ts"
import { folderOf } from "../project/project-path.ts"
import { isReadable } from "../shared/lenient-files.ts"
import { type Pausing, runInSlices } from "../shared/slices.ts"
import { DAY_MS } from "../shared/time.ts"
import { HIVE_FOLDER } from "../store/files/hive-fs.ts"
import { contentKeeper, fileInfo, inParts, MAX_SMALL_BYTES, MAX_SMALL_FILES } from "./file-content.ts"
import {
  excludeFile,
  type PrivateRepository,
  readObjects,
  runPrivateGit,
  runUserGit,
  type SnapshotStore,
} from "./private-repository.ts"
import type { LeftOut, SnapshotLimits } from "./worktree-state.ts"

/**
 * Saves tracked and untracked files as a git tree. The private index caches what was read. After few changes only the
 * tree is edited; after many, a new index replaces the old one in one step, so that a killed process does no harm.
 */
export function trackedAndUntrackedTree(repository: PrivateRepository, store: SnapshotStore) {
  const { top, dir, user } = repository
  const index = indexFile(repository)
  const keepContents = contentKeeper(repository, store)
  /** The tree of the index, the signature of the index file, and the folders of that tree that were read so far. */
  let base:
    | { tree: string; signature: string; folders: Map<string, ReturnType<typeof parseTree>> }
    | undefined
  /** The last edited tree. `key` identifies its changes, so that they are not applied again. */
  let edited = { key: "", tree: "" }
  /** Files that are too large or unreadable, and therefore have no entry in the private index. */
  let leftOutOfIndex = new Set<string>()
  /** Files that git tracks although an ignore rule matches them. `missing`: those not yet in the private index. */
  let trackedButIgnored = { signature: "", paths: new Set<string>(), missing: new Set<string>() }

  return async function takeFiles(
    limits: SnapshotLimits,
    scratch: string,
    attempts = 3,
  ): Promise<TakenFiles> {
    const signature = signatureOf(index).signature
    // Without an index (it is new, or another process removed it), the tracked but ignored files are listed again.
    if (signature === "") trackedButIgnored = { signature, paths: new Set(), missing: new Set() }
    const [status, tracked] = await Promise.all([readStatus(), listTrackedButIgnored()])
    const found = await runInSlices(parseStatus(status))
    const listed = [...found.listed, ...tracked]
    let { ignored } = found
    const sorted = await runInSlices(sortFiles(top, listed, limits))
    const { add, leftOut, nested } = sorted
    const copy = join(scratch, "index")
    if (base?.signature !== signature) {
      const tree = signature === "" ? "" : await treeOfIndex(repository, index, copy)
      base = tree === "" ? undefined : { tree, signature, folders: new Map() }
      leftOutOfIndex = new Set()
    }
    // The index may still have a file's earlier content, although the file is left out now.
    const outdated = leftOut.map(({ path }) => path).filter((path) => !leftOutOfIndex.has(path))
    const remove = [...sorted.notFiles, ...outdated]
    // Starts again if another process has rewritten the index meanwhile, because the status may not match it.
    if (signatureOf(index).signature !== signature && attempts > 1)
      return takeFiles(limits, scratch, attempts - 1)
    const tree =
      base !== undefined && isSmallChange(listed, add, remove)
        ? await editedTree(base, add, remove, leftOut)
        : await rewriteIndex()
    return { tree, leftOut, nested, ignored }

    async function rewriteIndex(): Promise<string> {
      const env = { GIT_INDEX_FILE: copy }
      if (signature !== "") await copyIndex(index, copy)
      if (remove.length > 0) await updateIndex(["--force-remove"], remove, env)
      const unreadable = await inParts(add, (part) =>
        updateIndex(["--add", "--remove", "--replace"], part, env),
      )
      if (unreadable.length > 0) await updateIndex(["--force-remove"], unreadable, env)
      for (const path of unreadable) leftOut.push(leftOutFile(top, path, "unreadable"))
      for (const path of tracked) trackedButIgnored.missing.delete(path)
      for (const path of listed)
        if (trackedButIgnored.paths.has(path) && !existsSync(join(top, path)))
          trackedButIgnored.missing.add(path)
      if (listed.some((path) => path.endsWith(".gitignore")))
        ignored = [...ignored, ...(await dropIgnored(env))]
      store.newBytes += sorted.bytes
      const written = await writeTreeOfIndex(repository, env)
      renameSync(copy, index)
      base = { tree: written, signature: signatureOf(index).signature, folders: new Map() }
      leftOutOfIndex = new Set(leftOut.map(({ path }) => path))
      return written
    }
  }

  async function editedTree(
    from: NonNullable<typeof base>,
    add: readonly string[],
    remove: readonly string[],
    leftOut: LeftOut[],
  ): Promise<string> {
    if (add.length + remove.length === 0) return from.tree
    const folders = new Set([...add, ...remove].flatMap(foldersAbove))
    const needed = [...folders].filter((folder) => !from.folders.has(folder))
    // The final slash makes git read the name as a path: `v1-2-gabc` could also mean a commit.
    const names = needed.map((folder) => (folder === "" ? from.tree : `${from.tree}:${folder}/`))
    const read = await readObjects(repository, names)
    for (const [n, folder] of needed.entries()) {
      const content = read[n]?.content
      if (content === undefined && isFolderIn(from.folders, folder))
        throw new GitFailure(["cat-file"], 1, `the store has lost the tree of "${folder}"`)
      from.folders.set(folder, content === undefined ? new Map() : parseTree(content, store))
    }
    const files = add.flatMap((path) => fileInfo(top, path) ?? [])
    const kept = await keepContents(files)
    for (const { path } of files) if (!kept.has(path)) leftOut.push(leftOutFile(top, path, "unreadable"))
    const changes = new Map([...remove, ...add].map((path) => [path, kept.get(path) ?? null]))
    const key = JSON.stringify([from.tree, [...changes].map(([path, to]) => [path, to?.mode, to?.oid])])
    if (edited.key !== key)
      edited = { key, tree: (await runInSlices(editTree(store, from.folders, changes))).tree }
    return edited.tree
  }

  /** False if the index must be rewritten: after many changes, or once a day, because pruning keeps all its content. */
  function isSmallChange(listed: readonly string[], add: readonly string[], remove: readonly string[]) {
    if (!store.hasModesAndLinks || add.length + remove.length > MAX_SMALL_FILES) return false
    if (statSync(index).mtimeMs < Date.now() - DAY_MS && add.length + remove.length > 0) return false
    if (listed.some((path) => path.endsWith(".gitignore") || path.includes("\n"))) return false
    return add.every((path) => (signatureOf(join(top, path)).stat?.size ?? 0) <= MAX_SMALL_BYTES)
  }

  /** Retries if git was killed by a signal, which happens if a file is truncated while git reads it. */
  async function readStatus(attempts = 10): Promise<Buffer> {
    try {
      return await runPrivateGit(repository, STATUS, { env: { GIT_INDEX_FILE: index } })
    } catch (error) {
      const isSignal = error instanceof GitFailure && error.exit < 0 && error.limitMs === null
      if (!isSignal || error.code !== undefined || attempts === 1) throw error
      return readStatus(attempts - 1)
    }
  }

  async function listTrackedButIgnored(): Promise<string[]> {
    if (user === null) return []
    const signature = signatureOf(join(user.gitDir, "index")).signature
    if (trackedButIgnored.signature !== signature) {
      const args = ["ls-files", "-z", "--cached", "--ignored", "--exclude-standard", "-X", excludeFile(dir)]
      // If git refuses to read another user's repository, the list is empty.
      const paths = new Set(splitByZero(await runUserGit(repository, args).catch(() => "")))
      const { paths: old, missing } = trackedButIgnored
      const isMissing = (path: string) => !old.has(path) || missing.has(path)
      trackedButIgnored = { signature, paths, missing: new Set([...paths].filter(isMissing)) }
    }
    return [...trackedButIgnored.missing].filter((path) => signatureOf(join(top, path)).stat !== undefined)
  }

  async function updateIndex(how: readonly string[], paths: readonly string[], env: IndexEnv): Promise<void> {
    const input = paths.map((path) => `${path}\0`).join("")
    try {
      await runPrivateGit(repository, ["update-index", ...how, "-z", "--stdin"], { env, input })
    } finally {
      rmSync(`${env.GIT_INDEX_FILE}.lock`, { force: true }) // A git that was killed leaves its lock behind.
    }
  }

  /** Removes untracked files that a new ignore rule matches from the private index, and returns them. */
  async function dropIgnored(env: IndexEnv): Promise<string[]> {
    const args = ["ls-files", "-z", "--cached", "--ignored", "--exclude-standard"]
    const ignored = [...splitByZero(await runPrivateGit(repository, args, { env }))]
    // New ignore rules may match other tracked files, so these are listed again.
    trackedButIgnored.signature = ""
    await listTrackedButIgnored()
    for (const path of ignored) trackedButIgnored.missing.delete(path)
    const paths = ignored.filter((path) => !trackedButIgnored.paths.has(path))
    if (paths.length > 0) await updateIndex(["--force-remove"], paths, env)
    return paths
  }
}

export function indexFile({ dir, worktree }: PrivateRepository): string {
  return join(dir, `index-${worktree}`)
}

export const INDEX_NAME = /^index-[0-9a-f]+$/

/** Writes an index as a tree. Works on a copy, because git locks an index. Fails if the index names lost content. */
export async function treeOfIndex(repository: PrivateRepository, index: string, copy: string) {
  await copyIndex(index, copy)
  return writeTreeOfIndex(repository, { GIT_INDEX_FILE: copy })
}

type IndexEnv = { GIT_INDEX_FILE: string }

async function writeTreeOfIndex(repository: PrivateRepository, env: IndexEnv): Promise<string> {
  return (await runPrivateGit(repository, ["write-tree"], { env })).toString("latin1").trim()
}

/** Folders in `ignored` and `nested` end with a slash. */
type TakenFiles = { tree: string; ignored: string[] } & Pick<Sorted, "leftOut" | "nested">
/** `nested`: folders that are repositories or worktrees. `notFiles`: folders, pipes and the like. */
type Sorted = Record<"add" | "notFiles" | "nested", string[]> & { leftOut: LeftOut[]; bytes: number }

/** Parses lines `XY path`. Y is a letter for files that differ from the index; X compares with HEAD and is ignored. */
function* parseStatus(output: Buffer): Pausing<{ listed: string[]; ignored: string[] }> {
  const listed: string[] = []
  const ignored: string[] = []
  for (const line of splitByZero(output)) {
    yield
    if (line.startsWith("!!")) ignored.push(line.slice(3))
    else if (line[1] !== " ") listed.push(line.slice(3))
  }
  return { listed, ignored }
}

/** Decides what the snapshot does with each path. Reads only files and links, because a pipe would block. */
function* sortFiles(top: string, paths: Iterable<string>, limits: SnapshotLimits): Pausing<Sorted> {
  const sorted: Sorted = { add: [], notFiles: [], leftOut: [], nested: [], bytes: 0 }
  const isBelowLink = linkedFolders(top)
  for (const path of new Set(paths)) {
    yield
    if (`/${path}`.includes(`/${HIVE_FOLDER}/`)) continue
    const { stat } = signatureOf(join(top, path))
    const bytes = Number(stat?.size ?? 0)
    const leaveOut = (why: LeftOut["why"]) => void sorted.leftOut.push(leftOutFile(top, path, why))
    if (path.endsWith("/")) sorted.nested.push(path)
    else if (path.includes(NOT_UTF8)) leaveOut("unreadable")
    else if (stat !== undefined && !stat.isFile() && !stat.isSymbolicLink()) sorted.notFiles.push(path)
    else if (stat !== undefined && isBelowLink(path)) sorted.notFiles.push(path)
    else if (bytes > limits.maxFileBytes) leaveOut("large")
    else if (sorted.bytes + bytes > limits.maxTotalBytes) leaveOut("total")
    else if (stat?.isFile() && !isReadable(join(top, path))) leaveOut("unreadable")
    else {
      sorted.bytes += bytes
      sorted.add.push(path)
    }
  }
  return sorted
}

/** Returns a test for paths below a linked folder: git treats such files as deleted, even if they exist. */
function linkedFolders(top: string) {
  const known = new Map<string, boolean>()
  return function isBelowLink(path: string): boolean {
    const folder = folderOf(path)
    if (folder === "") return false
    const isLinked =
      known.get(folder) ??
      (isBelowLink(folder) || signatureOf(join(top, folder)).stat?.isSymbolicLink() === true)
    known.set(folder, isLinked)
    return isLinked
  }
}

/** Copies an index and its time. Git reads files again that are as new as the index, so a newer copy would hide changes. */
async function copyIndex(from: string, to: string): Promise<void> {
  const seconds = Math.floor(statSync(from).mtimeMs / 1000)
  await copyFile(from, to)
  utimesSync(to, seconds, seconds)
}

/** Splits git's `-z` output, in which a zero byte ends each name. */
export function* splitByZero(output: Buffer | string): Generator<string, void, void> {
  const text = output.toString("utf8")
  for (let at = 0, end = text.indexOf("\0"); end >= 0; at = end + 1, end = text.indexOf("\0", at))
    yield text.slice(at, end)
}

function leftOutFile(top: string, path: string, why: LeftOut["why"]): LeftOut {
  const { stat } = signatureOf(join(top, path))
  return { path, bytes: Number(stat?.size ?? 0), changedMs: Number(stat?.mtimeMs ?? 0), why }
}

const STATUS =
  "status --porcelain -z --untracked-files=all --ignored=matching --no-renames --no-ahead-behind".split(" ")
const NOT_UTF8 = "\ufffd"
