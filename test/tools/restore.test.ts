import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeEach, expect, it } from "vitest"
import { sessionIdOf } from "../../src/graph/read-head.ts"
import type { Hive } from "../../src/hive/hive.ts"
import { fileHive } from "../support/file-hive.ts"
import { gitRepo } from "../support/git-repo.ts"
import { by } from "../support/records.ts"
import { aroundCommand } from "../support/snapshots.ts"
import { callTool } from "./call-tool.ts"

let hive: Hive
beforeEach(async () => {
  hive = await fileHive()
  gitRepo(hive.dir, { "a.txt": "a\n", ".gitignore": ".hivemind/\n" })
  writeFileSync(join(hive.dir, "notes.md"), "mine\n")
  await callTool(hive, "session start", { intent: "Tidy up" })
})

const put = (path: string, text: string) => writeFileSync(join(hive.dir, path), text)
const read = (path: string) => readFileSync(join(hive.dir, path), "utf8")
const own = { session: "ses_1" }
const restore = (args: object = {}, session = "ses_1", agent = "build") =>
  callTool(hive, "session restore", { ...args }, session, agent)
const refused = (why: string) => ({
  ...{ status: "error", code: "protected", why: expect.stringContaining(why) },
  use_instead: "Ask the user to run `hivemind restore S1`.",
})

it("lists the session's own snapshots that can restore something, in a few words each", async () => {
  await aroundCommand(hive.dir, "rm notes.md", own)
  await aroundCommand(hive.dir, "touch only-new", own)
  await aroundCommand(hive.dir, "echo x > a.txt", { session: "ses_2" })
  expect(await restore()).toEqual({
    status: "success",
    snapshots: [
      { id: "S1", before: "rm notes.md", when: expect.any(String), what: "deleted 1 file: notes.md" },
    ],
  })
})

it("restores its own change, in the log and undoable; a second time there is nothing to do", async () => {
  await aroundCommand(hive.dir, "rm notes.md && echo broken > a.txt && touch new", own)
  expect(await restore({ snapshot: "S1" })).toEqual({
    ...{ status: "success", restored: 2, created_and_kept: ["new"], undone_by: "S2" },
    files: expect.arrayContaining(["a.txt", "notes.md"]),
  })
  expect([read("notes.md"), read("a.txt")]).toEqual(["mine\n", "a\n"])
  const [checkpoint] = hive.store.read().state.checkpoint.values()
  expect(checkpoint).toMatchObject({ tool: "restore", session_id: "ses_1", ok: true })
  expect((await hive.store.log()).at(-1)?.by.tool).toBe("hivemind_session.restore")
  expect(await restore({ snapshot: "S1" })).toMatchObject({ status: "success", restored: 0 })
})

it("restores changes of the session's subagent, and the other way round", async () => {
  await callTool(hive, "session start", { intent: "Help" }, "ses_sub")
  await hive.store.write(by, (tx) => tx.set("session", sessionIdOf("ses_sub"), { parent_host_id: "ses_1" }))
  await aroundCommand(hive.dir, "rm notes.md", { session: "ses_sub" })
  expect(await restore({ snapshot: "S1" })).toMatchObject({ restored: 1 })
  await aroundCommand(hive.dir, "rm notes.md", own)
  expect(await restore({ snapshot: "S3" }, "ses_sub")).toMatchObject({ restored: 1 })
})

it("refuses snapshots of other sessions, of overlapping calls, and of files changed since", async () => {
  await aroundCommand(hive.dir, "rm notes.md && echo call > a.txt", own)
  expect(await restore({ snapshot: "S1" }, "ses_2")).toMatchObject(refused("not taken for a call of this"))
  put("a.txt", "the user's\n")
  expect(await restore({ snapshot: "S1" })).toMatchObject(
    refused("a.txt: the file has changed since the call"),
  )
  expect(read("a.txt")).toBe("the user's\n")
  expect(existsSync(join(hive.dir, "notes.md"))).toBe(false)
  expect(await restore({ snapshot: "S1", paths: ["notes.md"] })).toMatchObject({ restored: 1 })
  await aroundCommand(hive.dir, "rm notes.md", { ...own, isOverlapped: true })
  expect(await restore({ snapshot: "S3" })).toMatchObject({ why: expect.stringContaining("same time") })
})

it("leaves a file alone that the user has deleted after the call, and one that the call did not touch", async () => {
  mkdirSync(join(hive.dir, "src"))
  put("src/b.txt", "b\n")
  await aroundCommand(hive.dir, "echo call > notes.md && echo call > src/c.txt && rm a.txt", own)
  await aroundCommand(hive.dir, "rm notes.md src/b.txt", { session: null })
  expect(await restore({ snapshot: "S1" })).toMatchObject(refused("notes.md was changed by another call"))
  expect(await restore({ snapshot: "S1", paths: ["src"] })).toMatchObject(refused("src/b.txt was changed by"))
  expect(existsSync(join(hive.dir, "a.txt"))).toBe(false)
})

it("restores only paths of the agent's role, and refuses an unknown snapshot", async () => {
  await aroundCommand(hive.dir, "rm notes.md", own)
  expect(await restore({ snapshot: "S1" }, "ses_1", "hive-investigator")).toMatchObject({ code: "scope" })
  expect(await restore({ snapshot: "S9" })).toMatchObject({ code: "not_found" })
  expect(await restore({ paths: ["x"], refs: true })).toMatchObject({ code: "invalid_argument" })
})
