import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { type HivePlace, locateHive } from "../hive/locate.ts"
import { askGit } from "../project/git/git.ts"
import { runGit } from "../project/git/run-git.ts"
import { findRepository } from "../shared/git-folders.ts"
import { HIVE_FOLDER, hasHive, hivePaths } from "../store/files/layout.ts"
import { findBackup, realPath, removeBackup } from "./backup.ts"
import { explained } from "./git-errors.ts"
import { REFS, remoteRef } from "./ref.ts"

/** All that HiveMind keeps of a project. */
export interface Kept {
  /** `.hivemind/`, and the private repository unless other hives use it. */
  folders: string[]
  /** Refs of ours in the user's repository; none where other hives use them. */
  refs: string[]
  /** Remotes that had the shared log when they were last asked. */
  remotes: string[]
  /** Other hives of the same repository. */
  others: string[]
}

export async function findKept(place: HivePlace): Promise<Kept> {
  const { root } = hivePaths(place.home)
  const store = findBackup(place)?.repository.dir
  const others = store === undefined ? [] : await otherHives(place)
  const listed =
    store === undefined ? "" : await askGit(place.dir, ["for-each-ref", "--format=%(refname)", REFS])
  const refs = others.length > 0 ? [] : (listed ?? "").split("\n").filter((ref) => ref !== "")
  const folders = [root, ...(store === undefined || others.length > 0 ? [] : [dirname(store)])]
  const prefix = remoteRef("")
  const remotes = refs.filter((ref) => ref.startsWith(prefix)).map((ref) => ref.slice(prefix.length))
  return { folders: folders.filter((folder) => existsSync(folder)), refs, remotes, others }
}

/** Deletes the refs, and the backup where the private repository stays. The folders are the caller's. */
export async function deleteRefs(place: HivePlace, { refs }: Kept): Promise<void> {
  try {
    await removeBackup(place)
    const input = refs.map((ref) => `option no-deref\ndelete ${ref}\n`).join("")
    if (refs.length > 0) await runGit(place.dir, ["update-ref", "--stdin"], { input })
  } catch (error) {
    throw explained(error, "delete the refs of HiveMind")
  }
}

/** They may lie in any folder of the work tree, and in linked worktrees. */
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
