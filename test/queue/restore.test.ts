import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeEach, describe, expect, it } from "vitest"
import { healthAnswer } from "../../src/dashboard/answers/health.ts"
import { restoreAnswer, timelineAnswer } from "../../src/dashboard/answers/timeline.ts"
import { commandAnswer } from "../../src/dashboard/commands.ts"
import type { Hive } from "../../src/hive/hive.ts"
import { drain, enqueue, outcomeOf } from "../../src/queue/queue.ts"
import type { QueuedCommand } from "../../src/schemas/queued-command.ts"
import { fileHive } from "../support/file-hive.ts"
import { git, gitRepo } from "../support/git-repo.ts"
import { anAnchor, by } from "../support/records.ts"
import { aroundCommand } from "../support/snapshots.ts"
import { tempProject } from "../support/temp-project.ts"

let hive: Hive
beforeEach(async () => {
  hive = await fileHive()
  await hive.store.write(by, (tx) => tx.add("anchor", anAnchor(1)))
  gitRepo(hive.dir, { "a.txt": "a\n", ".gitignore": ".hivemind/\n.env\n" })
  put("notes.md", "mine\n")
})

const put = (path: string, text: string) => writeFileSync(join(hive.dir, path), text)
const read = (path: string) => readFileSync(join(hive.dir, path), "utf8")
const ask = async (more: object = {}) => {
  const id = await enqueue(hive, "dashboard", { do: "restore", snapshot: "S1", ...more } as QueuedCommand)
  await drain(hive)
  return { id, outcome: outcomeOf(hive, id) }
}

describe("a restore through the queue", () => {
  it("writes the files, is one entry of the log, and tells which snapshot undoes it", async () => {
    await aroundCommand(hive.dir, "rm notes.md && echo call > a.txt")
    put("a.txt", "newer\n")
    const { id, outcome } = await ask()
    expect(outcome).toMatchObject({
      ok: true,
      note: "1 file restored. Kept 1 file that changed later. S2 undoes it.",
    })
    expect([read("notes.md"), read("a.txt")]).toEqual(["mine\n", "newer\n"])
    expect(commandAnswer(hive, id)).toMatchObject({
      state: "done",
      what: expect.stringContaining("S2 undoes"),
    })
    const [checkpoint] = hive.store.read().state.checkpoint.values()
    expect(checkpoint).toMatchObject({ tool: "restore", files: ["notes.md"], session_id: null })
    expect((await ask({ force: true })).outcome).toMatchObject({ note: "1 file restored. S3 undoes it." })
    expect(read("a.txt")).toBe("a\n")
  })

  it("is refused with a reason if there is nothing to restore", async () => {
    await aroundCommand(hive.dir, "echo call > a.txt")
    put("a.txt", "newer\n")
    expect((await ask()).outcome).toMatchObject({
      ok: false,
      why: "a.txt: the file has changed since the call.",
    })
    put("a.txt", "a\n")
    expect((await ask()).outcome).toMatchObject({
      ok: false,
      why: expect.stringContaining("as they were before"),
    })
    expect((await ask({ snapshot: "S9" })).outcome).toMatchObject({
      ok: false,
      why: "There is no snapshot S9.",
    })
    await expect(ask({ snapshot: "../../x" })).rejects.toMatchObject({ code: "invalid_argument" })
  })

  it("finds the worktree that the snapshot was taken in, whichever process applies it", async () => {
    const other = join(await tempProject(), "other")
    git(hive.dir, "worktree", "add", "-q", other)
    await aroundCommand(other, "rm a.txt")
    expect((await ask()).outcome).toMatchObject({ ok: true })
    expect(readFileSync(join(other, "a.txt"), "utf8")).toBe("a\n")
  })
})

describe("the dashboard's answers", () => {
  const wanted = { session: "", record: "", find: "", kind: "", page: 1 }

  it("have commands and deletions in the story, edits only among all snapshots", async () => {
    put(".env", "KEY=1\n")
    await aroundCommand(hive.dir, "rm notes.md .env")
    await aroundCommand(hive.dir, "echo edit > a.txt", { tool: "edit", command: null })
    await aroundCommand(hive.dir, "touch new")
    const texts = async (kind: string) =>
      (await timelineAnswer(hive, { ...wanted, kind })).items
        .filter((item) => item.kind === "snapshot")
        .map(({ id, text }) => `${id} ${text}`)
    const deleted = expect.stringMatching(/^S1 Deleted 2 files: .*\.env.* \(rm notes\.md \.env\)$/)
    expect(await texts("")).toEqual([deleted])
    expect(await texts("snapshot")).toEqual(["S2 Changed 1 file: a.txt (edit)", deleted])
    expect((await timelineAnswer(hive, { ...wanted, session: "ses_other" })).items).toEqual([])
  })

  it("tell what a restore would do, and how much is kept", async () => {
    git(hive.dir, "branch", "topic")
    await aroundCommand(hive.dir, "rm notes.md && echo call > a.txt && touch new && git branch -qD topic")
    put("a.txt", "newer\n")
    expect(await restoreAnswer(hive, "S1")).toMatchObject({
      ...{ id: "S1", write: ["notes.md"], conflicts: [{ path: "a.txt" }], created: ["new"] },
      ...{ refs: [{ name: "refs/heads/topic" }], total: { write: 1, conflicts: 1, created: 1 } },
    })
    expect((await healthAnswer(hive)).snapshots).toMatchObject({
      ...{ isOn: true, canTake: true, count: 1, bytes: expect.any(Number), oldest: expect.any(String) },
    })
  })
})
