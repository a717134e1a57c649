import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { beforeEach, expect, it, onTestFinished, vi } from "vitest"
import { systemSource } from "../../src/shared/ids.ts"
import { openFileStore } from "../../src/store/file-store.ts"
import { LOG_REF, mergedRef, remoteRef } from "../../src/sync/ref.ts"
import { restoreHive } from "../../src/sync/restore.ts"
import { sharedGraph } from "../support/clones.ts"
import { GIT_ENV, git, linesInLog } from "../support/git-repo.ts"
import { uuid } from "../support/records.ts"
import { type Member, memberIn, mems, save, sync } from "../support/team.ts"
import { tempProject } from "../support/temp-project.ts"

beforeEach(() => {
  for (const [name, value] of Object.entries(GIT_ENV)) vi.stubEnv(name, value)
})

it("syncs repositories that use SHA-256", async () => {
  const { anna, bert } = await team({ init: ["--object-format=sha256"] })
  await save(anna, 1)
  expect(await sync(anna)).toMatchObject({ saved: 1, push: "pushed" })
  await save(bert, 2)
  expect(await sync(bert)).toMatchObject({ brought: 1, push: "pushed" })
  expect(await sync(anna)).toMatchObject({ brought: 1 })
  expect(sharedGraph(anna.store)).toEqual(sharedGraph(bert.store))
  expect(git(anna.dir, "rev-parse", LOG_REF)).toMatch(/^[0-9a-f]{64}$/)
})

it.each(["blob:none", "tree:0"])("syncs a partial clone (--filter=%s)", async (filter) => {
  const { anna, bert } = await team({ clone: [`--filter=${filter}`] })
  await save(anna, 1)
  await sync(anna)
  await save(bert, 2)
  expect(await sync(bert)).toMatchObject({ brought: 1, saved: 1, push: "pushed" })
  await save(anna, 3)
  expect(await sync(anna)).toMatchObject({ brought: 1, push: "pushed" })
  expect(await sync(bert)).toMatchObject({ brought: 1 })
  expect(sharedGraph(anna.store)).toEqual(sharedGraph(bert.store))
})

it.each([
  { what: "junk", content: "not an object id\n", name: "log", ref: () => LOG_REF, isTold: true },
  { what: "nothing", content: "", name: "log", ref: () => LOG_REF, isTold: true },
  { what: "zeros after a crash", content: "\0".repeat(41), name: "log", ref: () => LOG_REF, isTold: true },
  { what: "a lost commit", content: `${"1".repeat(40)}\n`, name: "log", ref: () => LOG_REF, isTold: true },
  // Git treats a symbolic link without a target as a missing ref.
  { what: "a dead link", content: "ref: refs/x/y\n", name: "log", ref: () => LOG_REF, isTold: false },
  { what: "junk", content: "junk\n", name: "merged", ref: mergedRef, isTold: true },
  { what: "junk", content: "junk\n", name: "remote", ref: () => remoteRef("origin"), isTold: false },
])("rebuilds a ref that git cannot read: $name holds $what", async ({ content, ref, isTold }) => {
  const { anna, bert } = await team()
  await save(bert, 1)
  await sync(bert)
  await save(anna, 2)
  await sync(anna)
  await save(anna, 3)
  const damaged = ref(await anna.store.clone())
  write(join(anna.dir, ".git", damaged), content)
  const report = await sync(anna)
  expect(report).toMatchObject({ push: "pushed", rebuilt: isTold ? [damaged] : [] })
  expect(git(anna.dir, "rev-parse", damaged)).toBe(git(anna.dir, "rev-parse", LOG_REF))
  expect(linesInLog(anna.dir)).toBe(3)
  await sync(bert)
  expect(mems(bert)).toEqual([1, 2, 3].map(uuid))
  expect(await sync(anna)).toMatchObject({ saved: 0, brought: 0, push: "nothing", rebuilt: [] })
})

it("rebuilds the log of a repository without a remote from the clone's own log", async () => {
  const { anna } = await team()
  for (const n of [1, 2]) await save(anna, n)
  await sync(anna, { remote: null })
  for (const ref of [LOG_REF, mergedRef(await anna.store.clone())])
    write(join(anna.dir, ".git", ref), "junk\n")
  expect((await sync(anna, { remote: null })).rebuilt).toHaveLength(2)
  expect(linesInLog(anna.dir)).toBe(2)
})

it("leaves an unreadable log alone where nothing could be restored without it", async () => {
  const { anna } = await team()
  await save(anna, 1)
  await sync(anna, { remote: null })
  await anna.store.close()
  rmSync(join(anna.dir, ".hivemind"), { recursive: true })
  const ref = join(anna.dir, ".git", LOG_REF)
  write(ref, "junk\n")
  const store = openFileStore(anna.dir, { source: systemSource })
  onTestFinished(() => store.close())
  await expect(restoreHive({ store, home: anna.dir, dir: anna.dir, remote: null })).rejects.toMatchObject({
    code: "not_found",
  })
  expect(readFileSync(ref, "utf8")).toBe("junk\n")
})

it("names the lock file that a crash has left at the remote", async () => {
  const { anna, remote } = await team()
  await save(anna, 1)
  await sync(anna)
  await save(anna, 2)
  const lock = join(remote, `${LOG_REF}.lock`)
  writeFileSync(lock, "")
  await expect(sync(anna)).rejects.toMatchObject({
    code: "git_failed",
    what: "Could not push to origin.",
    why: expect.stringContaining("lock file"),
    use_instead: expect.stringContaining("delete the lock file"),
    evidence: expect.stringContaining(`${LOG_REF}.lock`),
  })
  rmSync(lock)
  expect(await sync(anna)).toMatchObject({ push: "pushed", sent: 1 })
})

it("a remote that cannot be reached leaves all as it was, and the next sync does the rest", async () => {
  const { anna, bert, remote } = await team()
  await save(anna, 1)
  const setUrl = (url: string) => git(anna.dir, "remote", "set-url", "origin", url)
  // Makes the remote unreachable between the fetch and the push.
  const mayBegin = async () => {
    setUrl("git://127.0.0.1:1/remote.git")
    return true
  }
  await expect(sync(anna, { mayBegin })).rejects.toMatchObject({
    code: "git_failed",
    what: "Could not push to origin.",
    use_instead: "Run `hivemind sync` again when you are online.",
  })
  expect(mems(anna)).toEqual([uuid(1)])
  await expect(sync(anna)).rejects.toMatchObject({ code: "git_failed", what: "Could not fetch from origin." })
  await save(anna, 2)
  setUrl(`file://${remote}`)
  expect(await sync(anna)).toMatchObject({ push: "pushed", sent: 2 })
  await sync(bert)
  expect(mems(bert)).toEqual([uuid(1), uuid(2)])
})

it("reports a read-only remote, and still receives its entries", async () => {
  const { anna, bert, remote } = await team()
  await save(anna, 1)
  await sync(anna)
  write(join(remote, "hooks", "pre-receive"), "#!/bin/sh\nexit 1\n")
  chmodSync(join(remote, "hooks", "pre-receive"), 0o755)
  await save(bert, 2)
  await expect(sync(bert)).rejects.toMatchObject({
    code: "git_failed",
    why: expect.stringContaining("denied you access"),
  })
  expect(mems(bert)).toEqual([uuid(1), uuid(2)])
})

it("gives up on a remote that does not answer, and names it", async () => {
  const { anna } = await team()
  await save(anna, 1)
  hangingSsh(anna.dir)
  git(anna.dir, "remote", "set-url", "origin", "ssh://nowhere/x")
  const notes: string[] = []
  await expect(sync(anna, { maxSilenceMs: 500, onNote: (note) => notes.push(note) })).rejects.toMatchObject({
    code: "git_failed",
    what: "origin did not answer.",
    why: expect.stringContaining("sent nothing for"),
    use_instead: expect.stringContaining("git ls-remote origin"),
  })
  expect(notes[0]).toBe("Fetching from origin")
  // A failed sync loses neither the log nor later writes.
  expect(anna.store.read().state.mem.size).toBe(1)
})

it("reports progress: the remote, and how much was received", async () => {
  const { anna, bert } = await team()
  for (let n = 1; n <= 20; n++) await save(anna, n)
  await sync(anna)
  const [notes, transfers]: [string[], string[]] = [[], []]
  await save(bert, 30)
  await sync(bert, { onNote: (note) => notes.push(note), onTransfer: (said) => transfers.push(said) })
  expect(notes).toEqual(["Fetching from origin", "Sending to origin"])
  expect(transfers.join("\n")).toMatch(/objects: +\d+%/)
})

/** Two clones of one bare repository, by `file://` URL: git ignores `--filter` for a local path. */
async function team({ init = [], clone = [] }: { init?: string[]; clone?: string[] } = {}) {
  const root = await tempProject()
  const remote = join(root, "remote.git")
  git(root, "init", "-q", "--bare", ...init, "remote.git")
  for (const option of ["allowFilter", "allowAnySHA1InWant"])
    git(remote, "config", `uploadpack.${option}`, "true")
  const first = join(root, "first")
  git(root, "init", "-q", ...init, "first")
  git(first, "remote", "add", "origin", `file://${remote}`)
  git(first, "commit", "-q", "--allow-empty", "-m", "begin")
  git(first, "push", "-q", "origin", "HEAD")
  const member = (name: string): Member => {
    git(root, "clone", "-q", ...clone, `file://${remote}`, name)
    const dir = join(root, name)
    const made = memberIn(dir)
    onTestFinished(() => made.store.close())
    return made
  }
  return { anna: member("anna"), bert: member("bert"), remote }
}

/** Makes git use an ssh program that never answers. The program is ended after the test. */
function hangingSsh(dir: string): void {
  const [script, started] = [join(dir, ".git", "ssh.sh"), join(dir, ".git", "ssh.pid")]
  writeFileSync(script, `echo $$ > ${started}\nexec sleep 60\n`)
  vi.stubEnv("GIT_SSH_COMMAND", `sh ${script}`)
  vi.stubEnv("GIT_SSH_VARIANT", "simple")
  onTestFinished(() => {
    // The file exists before the pid is written into it. Killing pid 0 would end the test's own process group.
    const pid = existsSync(started) ? Number(readFileSync(started, "utf8")) : 0
    if (pid > 0) process.kill(pid)
  })
}

function write(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}
