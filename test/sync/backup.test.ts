import { existsSync, rmSync } from "node:fs"
import { join } from "node:path"
import { expect, it, vi } from "vitest"
import { locateHive } from "../../src/hive/locate.ts"
import { systemSource } from "../../src/shared/ids.ts"
import { openFileStore } from "../../src/store/file-store.ts"
import { backupHive } from "../../src/sync/backup.ts"
import { LOG_REF } from "../../src/sync/ref.ts"
import { restoreHive } from "../../src/sync/restore.ts"
import { GIT_ENV, git, gitRepo } from "../support/git-repo.ts"
import { aMem, by, uuid } from "../support/records.ts"
import { tempProject } from "../support/temp-project.ts"

const PLACES: [string, (root: string) => { dir: string; commonDir: string; env?: Record<string, string> }][] =
  [
    ["a repository", (root) => at(gitRepo(join(root, "a")))],
    ["a repository without a commit", (root) => at(emptyRepo(root))],
    ["a SHA-256 repository", (root) => at(emptyRepo(root, "--object-format=sha256"))],
    [
      "a linked worktree",
      (root) => {
        const main = gitRepo(join(root, "a"))
        git(main, "worktree", "add", "-q", "-b", "linked", join(root, "linked"))
        return { dir: join(root, "linked"), commonDir: join(main, ".git") }
      },
    ],
    [
      "a worktree of a bare repository",
      (root) => {
        git(root, "clone", "-q", "--bare", gitRepo(join(root, "a")), "bare.git")
        git(join(root, "bare.git"), "worktree", "add", "-q", "-b", "linked", join(root, "linked"))
        return { dir: join(root, "linked"), commonDir: join(root, "bare.git") }
      },
    ],
    [
      "a repository, called from a hook of another one",
      (root) => ({
        ...at(gitRepo(join(root, "a"))),
        env: { GIT_DIR: join(gitRepo(join(root, "other")), ".git"), GIT_INDEX_FILE: join(root, "index") },
      }),
    ],
    [
      "a repository whose user allows no bare ones",
      (root) => ({
        ...at(gitRepo(join(root, "a"))),
        env: {
          GIT_CONFIG_COUNT: "1",
          GIT_CONFIG_KEY_0: "safe.bareRepository",
          GIT_CONFIG_VALUE_0: "explicit",
        },
      }),
    ],
  ]

it.each(PLACES)("backs up and restores in %s; the user's refs stay as they are", async (_, make) => {
  const { dir, commonDir, env = {} } = make(await tempProject())
  const { home } = locateHive(dir)
  const refs = git(dir, "for-each-ref")
  for (const [name, value] of Object.entries({ ...GIT_ENV, ...env })) vi.stubEnv(name, value)
  await withStore(home, async (store) => {
    await store.append(by, (tx) => tx.add("mem", aMem(1)))
    await backupHive({ store, home, dir })
    await store.append(by, (tx) => tx.add("mem", aMem(2)))
    expect(await backupHive({ store, home, dir })).toMatchObject({ saved: 1, brought: 0 })
  })
  expect(existsSync(join(commonDir, "hivemind", "snapshots", LOG_REF))).toBe(true)
  rmSync(join(home, ".hivemind"), { recursive: true })
  await withStore(home, async (store) => {
    // An agent process that is still running writes a mem after the hive was deleted.
    await store.append(by, (tx) => tx.add("mem", aMem(3)))
    expect(await restoreHive({ store, home, dir, remote: null })).toMatchObject({ brought: 2 })
    expect(await restoreHive({ store, home, dir, remote: null })).toMatchObject({ brought: 0 })
    expect([...store.read().state.mem.keys()].sort()).toEqual([uuid(1), uuid(2), uuid(3)])
    expect(await backupHive({ store, home, dir })).toMatchObject({ saved: 0, brought: 0 })
  })
  vi.unstubAllEnvs()
  expect(git(dir, "for-each-ref")).toBe(refs)
})

it("outside of git there is no backup", async () => {
  const dir = await tempProject()
  await withStore(dir, async (store) => {
    await store.append(by, (tx) => tx.add("mem", aMem(1)))
    expect(await backupHive({ store, home: dir, dir })).toBeUndefined()
  })
  expect(existsSync(join(dir, ".hivemind", "snapshots"))).toBe(false)
})

const at = (dir: string) => ({ dir, commonDir: join(dir, ".git") })

function emptyRepo(root: string, ...options: string[]): string {
  git(root, "init", "-q", "-b", "main", ...options, "a")
  return join(root, "a")
}

async function withStore(home: string, job: (store: ReturnType<typeof openFileStore>) => Promise<void>) {
  const store = openFileStore(home, { source: systemSource })
  try {
    await job(store)
  } finally {
    await store.close()
  }
}
