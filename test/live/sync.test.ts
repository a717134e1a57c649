import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import { LOG_REF } from "../../src/sync/ref.ts"
import { git, gitStatus } from "../support/git-repo.ts"
import { openBed } from "./bed/bed.ts"
import { call, say } from "./bed/steps.ts"

const CLI = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url))

it("after a turn that wrote, the repository has the log, and nothing else of git has changed", async () => {
  await using bed = await openBed({ git: true })
  const before = git(bed.project, "for-each-ref", "refs/heads")
  bed.model.script(
    call("hivemind_memory", { action: "save", content: "kept in the repository" }),
    say("saved"),
  )
  await bed.prompt(await bed.newSession("sync"), "Save it")
  const logged = () => {
    const files = git(bed.project, "ls-tree", "-r", "--format=%(objectname)", LOG_REF).trim().split("\n")
    return files.map((blob) => git(bed.project, "cat-file", "blob", blob)).join("")
  }
  // It runs after the turn, and nobody waits for it.
  await expect.poll(() => git(bed.project, "for-each-ref", LOG_REF)).not.toBe("")
  expect(logged()).toContain("kept in the repository")
  expect(gitStatus(bed.project).filter((line) => line.includes(".hivemind"))).toEqual([])
  expect(git(bed.project, "for-each-ref", "refs/heads")).toBe(before)
})

it("what `git clean -fdx` deletes while OpenCode works comes back, and the work goes on", async () => {
  await using bed = await openBed({ git: true })
  const session = await bed.newSession("clean")
  bed.model.script(
    call("hivemind_memory", { action: "save", content: "kept in the repository" }),
    say("saved"),
  )
  await bed.prompt(session, "Save it")
  await expect.poll(() => git(bed.project, "for-each-ref", LOG_REF)).not.toBe("")
  // What follows a turn may still write while git deletes: then git says so, and a person does it again.
  await expect
    .poll(() => {
      git(bed.project, "clean", "-fdxq", ".hivemind")
      return existsSync(join(bed.project, ".hivemind"))
    })
    .toBe(false)
  execFileSync(process.execPath, [CLI, "sync", "--restore"], { cwd: bed.project })
  bed.model.script(call("hivemind_memory", { action: "list" }), say("there"))
  const { toolCalls } = await bed.prompt(session, "What is there?")
  expect(toolCalls[0]?.output).toContain("kept in the repository")
  expect(gitStatus(bed.project).filter((line) => line.includes(".hivemind"))).toEqual([])
})
