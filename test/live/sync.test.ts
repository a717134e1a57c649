import { existsSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { LOG_REF } from "../../src/sync/ref.ts"
import { git, gitStatus } from "../support/git-repo.ts"
import { type Bed, openBed } from "./bed/bed.ts"
import { hive, planAndStart, save, write } from "./bed/steps.ts"

const backupOf = (project: string) => join(project, ".git", "hivemind", "snapshots")
const backedUp = (project: string) =>
  existsSync(join(backupOf(project), LOG_REF))
    ? git(backupOf(project), "log", "-p", "--format=", LOG_REF)
    : ""

it("a hive that `git clean -fdx` deletes comes back during work, and when OpenCode starts again, with a toast", async () => {
  await using bed = await openBed({ git: true })
  const session = await bed.newSession("clean")
  await saveAndClean(bed, session, "kept in the backup")
  bed.cli("sync", "--restore")
  const during = await bed.prompt(session, "What is there?", hive("memory list"))
  expect(during.toolCalls[0]?.output).toContain("kept in the backup")
  expect(gitStatus(bed.project).filter((line) => line.includes(".hivemind"))).toEqual([])

  await saveAndClean(bed, session, "kept there too")
  await bed.restart()
  const { toolCalls } = await bed.prompt(session, "What is there?", hive("memory list"))
  expect(toolCalls[0]?.output).toMatch(/kept there too.*kept in the backup/s)
  await bed.toast("came back from the backup")
})

it("after `git clean -fdx` a strict hive is still strict, and its session still at its task", async () => {
  await using bed = await openBed({ git: true, hive: true })
  bed.cli("config", "set", "governance", "strict")
  await bed.restart()
  const session = await bed.newSession("clean")
  await bed.prompt(session, "Plan", ...planAndStart({ title: "Build login" }))
  await saveAndClean(bed, session, "kept in the backup")
  await bed.restart()
  const [other, turn] = [await bed.newSession("other"), write("login.ts")]
  expect((await bed.prompt(other, "Go", turn)).toolCalls[0]?.error).toContain("task")
  await bed.toast("with the configuration and 2 read-heads")
  expect((await bed.prompt(session, "Go on", turn)).toolCalls[0]?.status).toBe("completed")
})

async function saveAndClean(bed: Bed, session: { id: string }, content: string): Promise<void> {
  await bed.prompt(session, "Save it", save(content))
  await expect.poll(() => backedUp(bed.project)).toContain(content)
  // What follows a turn may still write while git deletes: then git says so, and a person does it again.
  await expect
    .poll(() => {
      git(bed.project, "clean", "-fdxq", ".hivemind")
      return existsSync(join(bed.project, ".hivemind"))
    })
    .toBe(false)
}
