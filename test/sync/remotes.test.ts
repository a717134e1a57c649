import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:net"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { git } from "../support/git-repo.ts"
import { uuid } from "../support/records.ts"
import { type Member, memberIn, mems, save, sync } from "../support/team.ts"
import { tempProject } from "../support/temp-project.ts"

it("a push that comes too late is done again with what the other one has sent", async () => {
  const { anna, bert } = await overDaemon()
  await save(anna, 1)
  await save(bert, 2)
  let isFirst = true
  const report = await sync(anna, {
    async mayBegin() {
      if (isFirst) await sync(bert)
      isFirst = false
      return true
    },
  })
  expect(report).toMatchObject({ push: "pushed", brought: 1 })
  await sync(bert)
  expect(mems(bert)).toEqual([uuid(1), uuid(2)])
})

it("a remote that goes away in the middle leaves all as it was, and the next sync does the rest", async () => {
  const { anna, bert, daemon } = await overDaemon()
  await save(anna, 1)
  await expect(
    sync(anna, {
      async mayBegin() {
        await daemon.stop()
        return true
      },
    }),
  ).rejects.toMatchObject({
    code: "git_failed",
    what: "Could not push to origin.",
    use_instead: "Run `hivemind sync` again when you are online.",
  })
  expect(mems(anna)).toEqual([uuid(1)])
  await expect(sync(anna)).rejects.toMatchObject({ code: "git_failed", what: "Could not fetch from origin." })
  await save(anna, 2)
  await daemon.start()
  expect(await sync(anna)).toMatchObject({ push: "pushed", sent: 2 })
  await sync(bert)
  expect(mems(bert)).toEqual([uuid(1), uuid(2)])
})

it("a remote where one may only read is told so, and what it has still comes", async () => {
  const { anna, bert, daemon } = await overDaemon()
  await save(anna, 1)
  await sync(anna)
  await daemon.stop()
  await daemon.start("--disable=receive-pack")
  await save(bert, 2)
  await expect(sync(bert)).rejects.toMatchObject({
    code: "git_failed",
    why: expect.stringContaining("does not let you"),
  })
  expect(mems(bert)).toEqual([uuid(1), uuid(2)])
})

/** Two clones of a bare repository that git's own server offers on this machine. */
async function overDaemon() {
  const root = await tempProject()
  git(root, "init", "-q", "--bare", "remote.git")
  const port = await freePort()
  let child: ChildProcess | undefined
  const daemon = {
    async start(writing = "--enable=receive-pack"): Promise<void> {
      const options = [
        `--base-path=${root}`,
        "--export-all",
        "--reuseaddr",
        "--listen=127.0.0.1",
        `--port=${port}`,
      ]
      child = spawn("git", ["daemon", "--verbose", ...options, writing, root], {
        stdio: ["ignore", "ignore", "pipe"],
      })
      // It says so once it listens.
      await once(child.stderr ?? child, "data")
    },
    async stop(): Promise<void> {
      if (child === undefined) return
      const closed = once(child, "close")
      child.kill()
      await closed
      child = undefined
    },
  }
  onTestFinished(daemon.stop)
  await daemon.start()
  const member = (name: string): Member => {
    git(root, "clone", "-q", join(root, "remote.git"), name)
    const dir = join(root, name)
    git(dir, "commit", "-q", "--allow-empty", "-m", "begin")
    git(dir, "remote", "set-url", "origin", `git://127.0.0.1:${port}/remote.git`)
    return memberIn(dir)
  }
  return { anna: member("anna"), bert: member("bert"), daemon }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  await once(server, "close")
  return typeof address === "object" && address !== null ? address.port : 0
}
