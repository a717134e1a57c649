import { chmodSync, mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { locateHive } from "../../src/hive/locate.ts"
import { bareWithLinked, git, gitRepo, repoWithLinked } from "../support/git-repo.ts"
import { copyOldLayout } from "../support/old-project.ts"
import { tempProject } from "../support/temp-project.ts"

/** A temporary folder by its real path, because git writes real paths into its files. */
const folder = async (): Promise<string> => realpathSync(await tempProject())

function setUp(dir: string): string {
  mkdirSync(join(dir, ".hivemind", "graph"), { recursive: true })
  return dir
}

function made(dir: string): string {
  mkdirSync(dir, { recursive: true })
  return dir
}

it("without a repository, finds the nearest hive in the parent folders, else uses the folder itself", async () => {
  const root = await folder()
  const deep = made(join(root, "a", "b"))
  expect(locateHive(deep)).toEqual({ home: deep, dir: deep, repository: null, nested: [] })
  setUp(root)
  expect(locateHive(deep)).toMatchObject({ home: root, dir: root })
})

it("in a repository, uses its top folder, also before a hive exists", async () => {
  const repo = gitRepo(join(await folder(), "repo"))
  const deep = made(join(repo, "a", "b"))
  const gitDir = join(repo, ".git")
  const found = { home: repo, dir: repo, repository: { gitDir, commonDir: gitDir }, nested: [] }
  expect([locateHive(deep), locateHive(repo), locateHive(join(gitDir, "refs"))]).toEqual(Array(3).fill(found))
  setUp(repo)
  expect(locateHive(deep)).toEqual(found)
})

it("a hive above the repository is not its hive", async () => {
  const root = setUp(await folder())
  const repo = gitRepo(join(root, "repo"))
  expect(locateHive(repo).home).toBe(repo)
})

it("a linked worktree shares the hive of the main one, and works on its own files", async () => {
  const { repo, linked } = repoWithLinked(await folder())
  const deep = made(join(linked, "a"))
  expect(locateHive(deep)).toEqual({
    home: repo,
    dir: linked,
    repository: { gitDir: join(repo, ".git", "worktrees", "linked"), commonDir: join(repo, ".git") },
    nested: [],
  })
  // A linked worktree may also be inside the main worktree's folder.
  const within = join(repo, "trees", "x")
  git(repo, "worktree", "add", "-q", within)
  expect(locateHive(within)).toMatchObject({ home: repo, dir: within })
})

it("uses an older hive in a subfolder or linked worktree until the main worktree has one", async () => {
  const { repo, linked } = repoWithLinked(await folder())
  const sub = setUp(join(repo, "packages", "one"))
  const deep = made(join(sub, "src"))
  expect(locateHive(deep)).toMatchObject({ home: sub, dir: sub, nested: [] })
  expect(locateHive(repo)).toMatchObject({ home: repo, dir: repo, nested: [] })
  setUp(linked)
  expect(locateHive(linked)).toMatchObject({ home: linked, dir: linked })
  expect(locateHive(repo).nested).toEqual([linked])

  setUp(repo)
  expect(locateHive(deep)).toMatchObject({ home: repo, dir: repo })
  expect(locateHive(deep).nested.sort()).toEqual([linked, sub])
  expect(locateHive(linked)).toMatchObject({ home: repo, dir: linked, nested: [linked] })
})

it("files of a tool before HiveMind make no hive of a subfolder or a linked worktree", async () => {
  const { repo, linked } = repoWithLinked(await folder())
  const sub = made(join(repo, "packages", "one"))
  for (const dir of [linked, sub]) copyOldLayout("g3", dir)
  expect(locateHive(linked)).toMatchObject({ home: repo, dir: linked, nested: [] })
  expect(locateHive(sub)).toMatchObject({ home: repo, dir: repo, nested: [] })
  // HiveMind has written records there since.
  made(join(sub, ".hivemind", "graph", "log"))
  expect(locateHive(sub)).toMatchObject({ home: sub, dir: sub })
})

it("worktrees of a bare repository share a hive in its folder", async () => {
  const root = await folder()
  const { bare, linked } = bareWithLinked(root, gitRepo(join(root, "repo")))
  expect(locateHive(linked)).toMatchObject({ home: bare, dir: linked })
  expect(locateHive(bare)).toMatchObject({ home: bare, dir: bare })
  expect(locateHive(join(bare, "refs"))).toMatchObject({ home: bare, dir: bare })
})

it("a bare repository that lies beside its worktrees has one hive for all of them", async () => {
  const root = await folder()
  const repo = gitRepo(join(root, "repo"))
  const project = made(join(root, "project"))
  const bare = join(project, ".bare")
  git(root, "clone", "-q", "--bare", repo, bare)
  writeFileSync(join(project, ".git"), "gitdir: ./.bare\n")
  git(project, "worktree", "add", "-q", join(project, "main"))
  for (const from of [project, join(project, "main")]) expect(locateHive(from).home).toBe(bare)
  // With this setting, git moves `core.worktree` to the file `config.worktree`.
  git(project, "config", "extensions.worktreeConfig", "true")
  git(bare, "config", "--unset", "core.bare")
  git(bare, "config", "--worktree", "core.bare", "true")
  expect(locateHive(project).home).toBe(bare)
})

it("a submodule has a hive of its own, and so have its worktrees", async () => {
  const root = await folder()
  const inner = gitRepo(join(root, "inner"))
  const repo = gitRepo(join(root, "repo"))
  git(repo, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner, "lib")
  const lib = join(repo, "lib")
  expect(locateHive(lib)).toMatchObject({ home: lib, dir: lib })
  setUp(repo)
  expect(locateHive(lib)).toMatchObject({ home: lib, dir: lib })
  const linked = join(root, "lib-linked")
  git(lib, "worktree", "add", "-q", linked)
  expect(locateHive(linked)).toMatchObject({ home: lib, dir: linked })
})

it("with a separate git folder, uses the hive of the worktree, or else that of the git folder", async () => {
  const root = await folder()
  const work = made(join(root, "work"))
  const store = join(root, "store.git")
  git(work, "init", "-q", "--separate-git-dir", store)
  git(work, "commit", "-q", "--allow-empty", "-m", "x")
  expect(locateHive(work)).toMatchObject({ home: work, dir: work })
  const linked = join(root, "linked")
  git(work, "worktree", "add", "-q", linked)
  // With `--separate-git-dir`, no file of git names the main worktree.
  expect(locateHive(linked)).toMatchObject({ home: store, dir: linked })
  setUp(store)
  expect(locateHive(work)).toMatchObject({ home: store, dir: work })
  setUp(work)
  expect(locateHive(work)).toMatchObject({ home: work, nested: [store] })
})

it("with a damaged .git, uses the folder itself", async () => {
  const root = await folder()
  for (const text of [
    "",
    "rubbish",
    "gitdir: /nowhere/at/all\n",
    "gitdir: .git\n",
    `gitdir: ${"x/".repeat(5000)}`,
  ]) {
    writeFileSync(join(root, ".git"), text)
    const deep = made(join(root, "a"))
    expect(locateHive(deep)).toEqual({ home: root, dir: root, repository: null, nested: [] })
  }
  rmSync(join(root, ".git"))
  // Git does not accept an empty `.git` folder as a repository.
  mkdirSync(join(root, ".git"))
  expect(locateHive(join(root, "a")).home).toBe(join(root, "a"))
  // A linked worktree whose repository was deleted.
  const { repo, linked } = repoWithLinked(root)
  rmSync(repo, { recursive: true })
  expect(locateHive(linked)).toEqual({ home: linked, dir: linked, repository: null, nested: [] })
})

it("finds a repository through a link, and keeps the caller's spelling; a link loop has none", async () => {
  const root = await folder()
  const repo = gitRepo(join(root, "repo"))
  made(join(repo, "sub"))
  symlinkSync(repo, join(root, "alias"))
  expect(locateHive(join(root, "alias", "sub"))).toMatchObject({
    home: join(root, "alias"),
    dir: join(root, "alias"),
  })
  symlinkSync(join(repo, "sub"), join(root, "short"))
  expect(locateHive(join(root, "short"))).toMatchObject({ home: repo, dir: repo })
  symlinkSync(join(root, "loop"), join(root, "loop"))
  expect(locateHive(join(root, "loop"))).toMatchObject({ home: join(root, "loop") })
  expect(locateHive(join(root, "not", "there"))).toMatchObject({ home: join(root, "not", "there") })
})

it.runIf(process.getuid?.() !== 0)("a folder that must not be read counts as empty", async () => {
  const root = await folder()
  const closed = made(join(root, "closed", "a"))
  chmodSync(join(root, "closed"), 0)
  expect(locateHive(closed).repository).toBe(null)
  chmodSync(join(root, "closed"), 0o700)
})
