import { createHash } from "node:crypto"
import { realpathSync } from "node:fs"
import { relative } from "node:path"
import type { Hive } from "../hive/hive.ts"
import type { HivePlace } from "../hive/locate.ts"
import { findRepository } from "../shared/git-folders.ts"
import {
  findPrivateRepository,
  preparePrivateRepository,
  runPrivateGit,
} from "../snapshots/private-repository.ts"
import { type Backup, hasBackup, REFS } from "./ref.ts"
import { type SyncReport, syncBackup } from "./sync.ts"

/** Where the log of a hive is backed up, or would be. Undefined outside of git. */
export function findBackup({ home, dir }: HivePlace): Backup | undefined {
  const repository = findPrivateRepository(dir)
  if (repository.user === null) return undefined
  const { commonDir } = repository.user
  const place = realPath(home)
  const isMain = [findRepository(dir)?.main ?? "", commonDir].some((main) => realPath(main) === place)
  // Hives in subfolders or linked worktrees have refs of their own.
  const name = createHash("sha256").update(relative(commonDir, place)).digest("hex").slice(0, 12)
  return { repository, refs: isMain ? REFS : `${REFS}/in/${name}` }
}

/** Brings the backup up to date. What the graph has lost since the last one comes back. Undefined outside of git. */
export async function backupHive({ store, home, dir }: BackedUp): Promise<SyncReport | undefined> {
  const backup = findBackup({ home, dir })
  if (backup === undefined) return undefined
  await preparePrivateRepository(backup.repository)
  return syncBackup(store, backup)
}

export type BackedUp = Pick<Hive, "store" | "home" | "dir">

export async function removeBackup(place: HivePlace): Promise<void> {
  const backup = findBackup(place)
  if (backup === undefined || !hasBackup(backup)) return
  const { repository, refs } = backup
  const listed = await runPrivateGit(repository, [
    "for-each-ref",
    "--format=delete %(refname)",
    `${refs}/log`,
    `${refs}/merged`,
  ])
  await runPrivateGit(repository, ["update-ref", "--stdin"], { input: listed })
}

export function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path // Not there yet.
  }
}
