import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import type { Hive } from "../hive/hive.ts"
import { type HivePlace, locateHive, realPath } from "../hive/locate.ts"
import { askGit } from "../project/git/git.ts"
import { runGit } from "../project/git/run-git.ts"
import { findRepository, linkedWorktrees } from "../shared/git-folders.ts"
import {
  findPrivateRepository,
  preparePrivateRepository,
  runPrivateGit,
} from "../snapshots/private-repository.ts"
import { HIVE_FOLDER, hasHive, hivePaths } from "../store/files/layout.ts"
import { emptyHive } from "../store/remove-hive.ts"
import { explained } from "./git-errors.ts"
import { type RestoredState, restoreConfig, restoreHeads, saveLocalState } from "./local-state.ts"
import {
  type Backup,
  hasBackup,
  isInRepository,
  LOG_REF,
  REFS,
  RESET_REF,
  remoteRef,
  withRepository,
} from "./ref.ts"
import { type SyncReport, syncBackup } from "./sync.ts"

export type BackedUp = Pick<Hive, "store" | "home" | "dir">

/** The place of a hive's backup; undefined outside of git. */
export function findBackup({ home, dir }: HivePlace): Backup | undefined {
  const repository = findPrivateRepository(dir)
  if (repository.user === null) return undefined
  const { commonDir } = repository.user
  const place = realPath(home)
  const isMain = isRepositoryHive({ home, dir }, commonDir)
  // A hive in a subfolder or linked worktree has refs of its own.
  const name = createHash("sha256").update(relative(commonDir, place)).digest("hex").slice(0, 12)
  return { repository, refs: isMain ? REFS : `${REFS}/in/${name}` }
}

/** True if all worktrees of the repository use the hive. */
function isRepositoryHive({ home, dir }: HivePlace, commonDir: string): boolean {
  return [findRepository(dir)?.main ?? "", commonDir].some((main) => realPath(main) === realPath(home))
}

/** Lists the other worktrees that use the same hive. */
function worktreesSharing(place: HivePlace): string[] {
  const { top, main, folders } = findRepository(realPath(place.dir)) ?? {}
  if (!folders || main === undefined || !isRepositoryHive(place, folders.commonDir)) return []
  const ofMain = main === folders.commonDir ? [] : [main] // A bare repository has no main worktree.
  const all = new Set([...ofMain, ...linkedWorktrees(folders.commonDir)].map(realPath))
  return [...all].filter((each) => each !== top && existsSync(each))
}

/** Syncs with the backup, so that records which the graph has lost come back. Undefined outside of git. */
export async function backupHive(hive: BackedUp): Promise<(SyncReport & RestoredState) | undefined> {
  const backup = findBackup(hive)
  if (backup === undefined) return undefined
  await preparePrivateRepository(backup.repository)
  const report = await syncBackup(hive.store, backup)
  const isLost = report.brought > 0
  const config = isLost && (await restoreConfig(hive.home, backup))
  const heads = isLost ? await restoreHeads(hive.store, backup) : 0
  await saveLocalState(hive, backup)
  return { ...report, config, heads }
}

export async function removeBackup(place: HivePlace): Promise<void> {
  const backup = findBackup(place)
  if (backup === undefined || !hasBackup(backup)) return
  const { repository, refs } = backup
  const format = "--format=delete %(refname)"
  const own = ["log", "local", "merged"].map((name) => `${refs}/${name}`)
  const input = await runPrivateGit(repository, ["for-each-ref", format, ...own])
  await runPrivateGit(repository, ["update-ref", "--stdin"], { input })
}

/** Deletes a hive's records and backup. The shared log stays, but its present entries will never be merged here again. */
export async function resetHive(place: HivePlace): Promise<{ isShared: boolean }> {
  const isShared = isInRepository(place.dir) && (await ignoreSharedLog(place.dir))
  // Removes the backup first, so that no process restores the hive from it, and again at the end, because a process
  // may have written a new one.
  await removeBackup(place)
  await emptyHive(place.home)
  await removeBackup(place)
  return { isShared }
}

function ignoreSharedLog(dir: string): Promise<boolean> {
  return withRepository(dir, "reset", async ({ resolve, move }) => {
    const shared = await resolve(LOG_REF)
    if (shared !== undefined) await move(RESET_REF, shared, await resolve(RESET_REF))
    return shared !== undefined
  })
}

export type HiveData = Awaited<ReturnType<typeof findHiveData>>

/** Finds the folders and refs that HiveMind created in a project, except those that other hives use too. */
export async function findHiveData(place: HivePlace) {
  const { root } = hivePaths(place.home)
  const store = findBackup(place)?.repository.dir
  const others = store === undefined ? [] : await otherHives(place)
  const listed =
    store === undefined ? "" : await askGit(place.dir, ["for-each-ref", "--format=%(refname)", REFS])
  const refs = others.length > 0 ? [] : (listed ?? "").split("\n").filter((ref) => ref !== "")
  const folders = [root, ...(store === undefined || others.length > 0 ? [] : [dirname(store)])]
  const prefix = remoteRef("")
  const remotes = refs.filter((ref) => ref.startsWith(prefix)).map((ref) => ref.slice(prefix.length))
  const worktrees = existsSync(root) ? worktreesSharing(place) : []
  return { folders: folders.filter((folder) => existsSync(folder)), refs, remotes, others, worktrees }
}

/** Deletes the refs and the backup. The caller deletes the folders. */
export async function deleteRefs(place: HivePlace, { refs }: HiveData): Promise<void> {
  try {
    await removeBackup(place)
    const input = refs.map((ref) => `option no-deref\ndelete ${ref}\n`).join("")
    if (refs.length > 0) await runGit(place.dir, ["update-ref", "--stdin"], { input })
  } catch (error) {
    throw explained(error, "delete the refs of HiveMind")
  }
}

/** Finds other hives: in any folder of the work tree, and in linked worktrees. */
async function otherHives({ home, dir }: HivePlace): Promise<string[]> {
  const { home: main, nested } = locateHive(dir)
  const top = findRepository(realPath(dir))?.top ?? dir
  const files = await askGit(top, ["ls-files", "-z", "-c", "-o", "--", `:(glob)**/${HIVE_FOLDER}/graph/**`])
  const found = (files ?? "")
    .split("\0")
    .map((file) => join(top, file.slice(0, file.lastIndexOf(`${HIVE_FOLDER}/`))))
  const all = new Set([main, ...nested, ...found].map(realPath))
  return [...all].filter((each) => each !== realPath(home) && hasHive(each))
}
