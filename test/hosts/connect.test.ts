import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { systemSource } from "../../src/shared/ids.ts"
import { openFileStore } from "../../src/store/file-store.ts"
import { hivePaths } from "../../src/store/files/layout.ts"
import { refusalFile } from "../../src/store/files/log-file.ts"
import { connectedAt } from "../support/connected.ts"
import { gitRepo } from "../support/git-repo.ts"
import { by } from "../support/records.ts"
import { tempProject } from "../support/temp-project.ts"

async function inRepository(options: Record<string, unknown> = {}) {
  const dir = gitRepo(await tempProject())
  const on = connectedAt(dir, options)
  const write = (path: string, session?: string) => {
    const filePath = join(dir, path)
    return on.call({
      tool: "write",
      args: { filePath, content: "x" },
      run: () => writeFileSync(filePath, "x\n"),
      ...(session === undefined ? {} : { session }),
    })
  }
  return { dir, write, ...on }
}

it("the only unassigned task is assigned to the session with its first write", async () => {
  const { dir, own, planned, write, state } = await inRepository({ governance: "strict" })
  const task = await planned({ title: "The only one" })
  await own("task", { action: "start", task_id: task })
  // As a hand edit or another clone may leave it.
  const theirs = openFileStore(dir, { source: systemSource })
  await theirs.write(by, (tx) => tx.set("task", task, { assigned_session_id: null }))
  expect(await write("b.txt", "ses_2")).toEqual({ notes: "" })
  await expect.poll(() => state().task.get(task)?.assigned_session_id).toBe("ses_2")
  expect(await own("task", { action: "status" }, "ses_2")).toMatchObject({ title: "The only one" })
})

it("refusals are kept on this machine, and not in the log that clones share", async () => {
  const { dir, own, bash } = await inRepository()
  await own("session", { action: "start", intent: "work" })
  const store = openFileStore(dir, { source: systemSource })
  const before = await store.log()
  expect((await bash("echo x > .hivemind/graph/x")).refusal).toContain("may not write")
  const kept = refusalFile(hivePaths(dir))
  await expect.poll(() => kept.read().map(({ code }) => code)).toEqual(["protected"])
  expect(await store.log()).toEqual(before)
})
