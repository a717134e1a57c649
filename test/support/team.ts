import { join } from "node:path"
import { systemSource } from "../../src/shared/ids.ts"
import { openFileStore } from "../../src/store/file-store.ts"
import type { Store } from "../../src/store/store.ts"
import { type SyncInput, type SyncReport, syncHive } from "../../src/sync/sync.ts"
import { git } from "./git-repo.ts"
import { aMem, by } from "./records.ts"

export interface Team {
  remote: string
  anna: string
  bert: string
}

export function makeTeam(root: string): Team {
  const remote = join(root, "remote.git")
  git(root, "init", "-q", "--bare", "-b", "main", "remote.git")
  for (const name of ["anna", "bert"]) git(root, "clone", "-q", remote, name)
  const [anna, bert] = [join(root, "anna"), join(root, "bert")]
  git(anna, "commit", "-q", "--allow-empty", "-m", "begin")
  git(anna, "push", "-q", "origin", "HEAD:main")
  git(bert, "fetch", "-q")
  return { remote, anna, bert }
}

export interface Member {
  dir: string
  store: Store
}

export function memberIn(dir: string): Member {
  return { dir, store: openFileStore(dir, { source: systemSource }) }
}

export async function save({ store }: Member, n: number): Promise<void> {
  await store.append(by, (tx) => tx.add("mem", aMem(n)))
}

export const mems = ({ store }: Member): string[] => [...store.read().state.mem.keys()].sort()

export function sync({ dir, store }: Member, input: Partial<SyncInput> = {}): Promise<SyncReport> {
  return syncHive({ dir, store, remote: "origin", mayBegin: async () => true, ...input })
}
