import { expect, it } from "vitest"
import { LOG_REF } from "../../src/sync/ref.ts"
import { git, gitStatus } from "../support/git-repo.ts"
import { openBed } from "./bed/bed.ts"
import { call, say } from "./bed/steps.ts"

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
