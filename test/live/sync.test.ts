import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import { LOG_REF } from "../../src/sync/ref.ts"
import { git, gitStatus } from "../support/git-repo.ts"
import { type Bed, openBed } from "./bed/bed.ts"
import { hive, save, say } from "./bed/steps.ts"

const CLI = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url))

const backupOf = (project: string) => join(project, ".git", "hivemind", "snapshots")
/** All that the backup has, as text. */
const backedUp = (project: string) =>
  existsSync(join(backupOf(project), LOG_REF))
    ? git(backupOf(project), "log", "-p", "--format=", LOG_REF)
    : ""

it("a hive that `git clean -fdx` deletes during work comes back", async () => {
  await using bed = await openBed({ git: true })
  const session = await bed.newSession("clean")
  await saveAndClean(bed, session)
  execFileSync(process.execPath, [CLI, "sync", "--restore"], { cwd: bed.project })
  bed.model.script(hive("memory list"), say("there"))
  const { toolCalls } = await bed.prompt(session, "What is there?")
  expect(toolCalls[0]?.output).toContain("kept in the backup")
  expect(gitStatus(bed.project).filter((line) => line.includes(".hivemind"))).toEqual([])
})

it("a deleted .hivemind/ comes back when OpenCode starts again, and a toast says so", async () => {
  await using bed = await openBed({ git: true })
  const session = await bed.newSession("clean")
  await saveAndClean(bed, session)
  await bed.restart()
  bed.model.script({ session: session.id }, hive("memory list"), say("there"))
  const { toolCalls } = await bed.prompt(session, "What is there?")
  expect(toolCalls[0]?.output).toContain("kept in the backup")
  await bed.waitForEvent("tui.toast.show", (event) =>
    JSON.stringify(event).includes("came back from the backup"),
  )
})

async function saveAndClean(bed: Bed, session: { id: string }): Promise<void> {
  bed.model.script(save("kept in the backup"), say("saved"))
  await bed.prompt(session, "Save it")
  await expect.poll(() => backedUp(bed.project)).toContain("kept in the backup")
  // What follows a turn may still write while git deletes: then git says so, and a person does it again.
  await expect
    .poll(() => {
      git(bed.project, "clean", "-fdxq", ".hivemind")
      return existsSync(join(bed.project, ".hivemind"))
    })
    .toBe(false)
}
