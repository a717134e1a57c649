import { lstatSync } from "node:fs"
import { join } from "node:path"
import { editTree, type Folders, isSameEntry, type TreeEntry } from "../project/git/write-objects.ts"
import { listEntriesOrEmpty } from "../shared/lenient-files.ts"
import { type Pausing, runInSlices } from "../shared/slices.ts"
import { contentKeeper, type FileInfo, fileInfo } from "./file-content.ts"
import { DEPENDENCY_FOLDERS, type PrivateRepository, type SnapshotStore } from "./private-repository.ts"
import type { LeftOut, SnapshotLimits } from "./worktree-state.ts"

/** Saves the files that git does not: small ignored ones (`.env`), and nested repositories with their `.git`. */
export function ignoredAndNestedTree(repository: PrivateRepository, store: SnapshotStore) {
  const keepContents = contentKeeper(repository, store)
  let last: { tree: string; folders: Folders; kept: Map<string, TreeEntry> } | undefined

  return async function takeIgnoredAndNested(
    ignored: readonly string[],
    nested: readonly string[],
    limits: SnapshotLimits,
  ): Promise<{ tree: string; leftOut: LeftOut[] }> {
    const { found, leftOut } = await runInSlices(findFiles(repository.top, ignored, nested, limits))
    const kept = await keepContents(found)
    for (const { path, bytes, changedMs } of found)
      if (!kept.has(path)) leftOut.push({ path, bytes, changedMs, why: "unreadable" })
    const changes = new Map<string, TreeEntry | null>()
    for (const path of last?.kept.keys() ?? []) if (!kept.has(path)) changes.set(encodePath(path), null)
    for (const [path, { mode, oid }] of kept)
      if (!isSameEntry(last?.kept.get(path), { mode, oid })) changes.set(encodePath(path), { mode, oid })
    if (last === undefined || changes.size > 0)
      last = { ...(await runInSlices(editTree(store, last?.folders ?? new Map(), changes))), kept }
    return { tree: last.tree, leftOut }
  }
}

function* findFiles(
  top: string,
  ignored: readonly string[],
  nested: readonly string[],
  limits: SnapshotLimits,
): Pausing<{ found: FileInfo[]; leftOut: LeftOut[] }> {
  const found: FileInfo[] = []
  const leftOut: LeftOut[] = []
  let total = 0
  for (const path of ignored) {
    yield
    if (!path.endsWith("/") && !CAN_BE_MADE_AGAIN.test(path)) take(fileInfo(top, path), found)
  }
  for (const path of ignored) if (path.endsWith("/")) yield* walk(path, isRepository(top, path))
  for (const path of nested) yield* walk(path, true)
  return { found, leftOut }

  function take(file: FileInfo | undefined, files: FileInfo[]): void {
    if (file === undefined) return
    const { path, bytes, changedMs } = file
    if (bytes > limits.maxIgnoredBytes) leftOut.push({ path, bytes, changedMs, why: "large" })
    else if (files.length > limits.maxFiles) leftOut.push({ path, bytes, changedMs, why: "total" })
    else files.push(file)
  }

  function leaveOut(path: string, bytes: number, isWhole: boolean): void {
    leftOut.push({ path, bytes, changedMs: 0, why: isWhole ? "nested" : "total" })
  }

  /** Walks a folder. A nested repository (`isWhole`) is saved completely, except for its dependencies, or not at all. */
  function* walk(folder: string, isWhole: boolean): Pausing<void> {
    const notKept = isWhole ? DEPENDENCIES : CAN_BE_MADE_AGAIN
    if (CAN_BE_MADE_AGAIN.test(folder) && !isWhole) return
    const files: FileInfo[] = []
    const inside: string[] = []
    let bytes = 0
    for (const folders = [folder]; folders.length > 0; ) {
      const at = folders.pop() ?? ""
      for (const entry of listEntriesOrEmpty(join(top, at))) {
        yield
        const path = `${at}${entry.name}`
        if (entry.isDirectory()) {
          if (notKept.test(`${path}/`)) continue
          if (!isWhole && isRepository(top, `${path}/`)) inside.push(`${path}/`)
          else folders.push(`${path}/`)
          continue
        }
        const file = fileInfo(top, path)
        if (isWhole && file !== undefined) files.push(file)
        else take(file, files)
        if (file !== undefined && files.at(-1) === file) bytes += file.bytes
        if (files.length <= limits.maxFiles && bytes <= limits.maxNestedBytes) continue
        leaveOut(folder, bytes, isWhole)
        return
      }
    }
    total += bytes
    if (total > limits.maxTotalBytes) leaveOut(folder, bytes, isWhole)
    else found.push(...files)
    for (const each of inside) yield* walk(each, true)
  }
}

function isRepository(top: string, folder: string): boolean {
  return lstatSync(join(top, folder, ".git"), { throwIfNoEntry: false }) !== undefined
}

/** Appends `%` to names such as `.git`, which git does not accept in a tree. */
function encodePath(path: string): string {
  return path.replace(/(^|\/)(\.git%*)(?=\/|$)/gi, "$1$2%")
}

export function decodePath(path: string): string {
  return path.replace(/(^|\/)(\.git%*)%(?=\/|$)/gi, "$1$2")
}

function folderNamed(names: readonly string[]): RegExp {
  return new RegExp(`(^|/)(${names.join("|").replaceAll(".", "\\.")})/`)
}

const DEPENDENCIES = folderNamed(DEPENDENCY_FOLDERS)
const CAN_BE_MADE_AGAIN = folderNamed([
  ...DEPENDENCY_FOLDERS,
  ...["vendor", "Pods", "virtualenv", "site-packages", ".eggs", ".gradle", ".terraform", "DerivedData"],
  ...[".cache", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".parcel-cache", ".turbo", ".nyc_output"],
  ...[".next", ".nuxt", ".svelte-kit", ".angular", "coverage"],
  ...["dist", "build", "out", "target", "bin", "obj", "tmp", "log", "logs"],
])
