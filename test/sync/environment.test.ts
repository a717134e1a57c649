import { join } from "node:path"
import { afterEach, expect, it, vi } from "vitest"
import { systemSource } from "../../src/shared/ids.ts"
import { openFileStore } from "../../src/store/file-store.ts"
import { syncHive } from "../../src/sync/sync.ts"
import { git } from "../support/git-repo.ts"
import { aMem, by } from "../support/records.ts"
import { tempProject } from "../support/temp-project.ts"

afterEach(() => {
  vi.unstubAllEnvs()
})

it("the log goes into the repository of the hive, also from a hook of another one", async () => {
  const [dir, other] = [await tempProject(), await tempProject()]
  for (const each of [dir, other]) git(each, "init", "-q")
  const store = openFileStore(dir, { source: systemSource })
  await store.append(by, (tx) => tx.add("mem", aMem(1)))
  vi.stubEnv("GIT_DIR", join(other, ".git"))
  vi.stubEnv("GIT_INDEX_FILE", join(other, ".git", "index"))
  await syncHive({ dir, store, remote: null, mayBegin: async () => true })
  vi.unstubAllEnvs()
  expect(git(other, "for-each-ref")).toBe("")
  expect(git(dir, "for-each-ref")).toContain("refs/hivemind/log")
})
