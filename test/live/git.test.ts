import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { commitFiles, git, gitStatus } from "../support/git-repo.ts"
import { stateIn } from "../support/state-in.ts"
import { type Bed, openBed } from "./bed/bed.ts"
import { pause, save as remember } from "./bed/steps.ts"

it("branch switch, stash and rebase during work: nothing is lost, and git sees nothing of the hive", async () => {
  await using bed = await openBed({ git: true, files: { "a.txt": "a\n" } })
  const session = await bed.newSession("git")
  await save(bed, session, "on main")

  // In the middle of a turn, between two calls.
  const held = pause()
  const late = { ...remember("after the switch", "fact"), text: "One more.", pause: held }
  const turn = bed.prompt(session, "go", remember("before the switch", "fact"), late)
  await held.reached
  git(bed.project, "switch", "-q", "-c", "feature")
  writeFileSync(join(bed.project, "a.txt"), "changed\n")
  git(bed.project, "stash", "-q", "--include-untracked")
  held.release()
  await turn
  expect(ours(bed.project)).toEqual([])
  git(bed.project, "stash", "pop", "-q")
  commitFiles(bed.project, {}, "work")
  await save(bed, session, "on feature")

  git(bed.project, "switch", "-q", "main")
  commitFiles(bed.project, { "b.txt": "b\n" }, "meanwhile")
  git(bed.project, "switch", "-q", "feature")
  git(bed.project, "rebase", "-q", "main")
  git(bed.project, "clean", "-fdq")
  await save(bed, session, "after the rebase")
  expect(mems(bed.project)).toEqual([
    ["after the rebase", "feature"],
    ["after the switch", "feature"],
    ["before the switch", "main"],
    ["on feature", "feature"],
    ["on main", "main"],
  ])
  expect(gitStatus(bed.project)).toEqual([])
  expect(git(bed.project, "log", "--all", "--format=", "--name-only")).not.toContain(".hivemind")
  expect(git(bed.project, "for-each-ref", "refs/hivemind")).toBe("")
})

async function save(bed: Bed, session: { id: string }, content: string): Promise<void> {
  const turn = await bed.prompt(session, "go on", remember(content, "fact"))
  expect(turn.toolCalls.map(({ tool, status }) => [tool, status])).toEqual([["hivemind_memory", "completed"]])
}

function mems(project: string): [content: string, branch: string | null][] {
  const saved = [...stateIn(project).mem.values()].filter(({ origin }) => origin === "saved")
  return saved.map(({ content, branch }): [string, string | null] => [content, branch]).sort()
}

const ours = (project: string): string[] => gitStatus(project).filter((line) => line.includes(".hivemind"))
