import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { systemSource } from "../../src/shared/ids.ts"
import { openFileStore } from "../../src/store/file-store.ts"
import { commitFiles, git, gitStatus } from "../support/git-repo.ts"
import { type Bed, openBed } from "./bed/bed.ts"
import { hive, pause, say } from "./bed/steps.ts"

it("branch switch, stash and rebase during work: nothing is lost, and git sees nothing of the hive", async () => {
  await using bed = await openBed({ git: true, files: { "a.txt": "a\n" } })
  const session = await bed.newSession("git")
  await save(bed, session, "on main")

  // In the middle of a turn, between two calls.
  const held = pause()
  bed.model.script(
    { session: session.id },
    saving("before the switch"),
    { ...saving("after the switch"), text: "One more.", pause: held },
    say("saved"),
  )
  const turn = bed.prompt(session, "go")
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

it("two worktrees with an OpenCode in each share one hive", async () => {
  await using main = await openBed({ git: true })
  await using linked = await openBed({ worktree: { of: main.project, branch: "linked" } })
  const [here, there] = [await main.newSession("here"), await linked.newSession("there")]
  await Promise.all([save(main, here, "from main"), save(linked, there, "from linked")])
  await Promise.all([save(main, here, "again from main"), save(linked, there, "again from linked")])
  expect(mems(main.project)).toEqual([
    ["again from linked", "linked"],
    ["again from main", "main"],
    ["from linked", "linked"],
    ["from main", "main"],
  ])
  // Each reads what the other has written.
  const seen = linked.model.requests.map(({ user }) => user).join("\n")
  expect(seen).toContain("from main")
  expect(existsSync(join(linked.project, ".hivemind"))).toBe(false)
  expect([ours(main.project), ours(linked.project)]).toEqual([[], []])
})

it("a committed hive is read; a toast says how to take it out of git, and then it goes on", async () => {
  await using bed = await openBed({ git: true })
  const session = await bed.newSession("committed")
  await save(bed, session, "committed")
  git(bed.project, "add", "--force", ".hivemind")
  git(bed.project, "commit", "-q", "-m", "the hive")
  await bed.restart()
  bed.model.script({ session: session.id }, say("Here."))
  await bed.prompt(session, "go on")
  await bed.waitForEvent("tui.toast.show", (event) =>
    JSON.stringify(event).includes("git rm -r -q --cached .hivemind"),
  )
  git(bed.project, "rm", "-r", "-q", "--cached", ".hivemind")
  git(bed.project, "commit", "-q", "-m", "Take .hivemind out of git")
  await save(bed, session, "newer")
  await expect.poll(() => ours(bed.project)).toEqual([])
  expect(mems(bed.project).map(([content]) => content)).toEqual(["committed", "newer"])
})

function saving(content: string) {
  return hive("memory save", { content, kind: "fact" })
}

async function save(bed: Bed, session: { id: string }, content: string): Promise<void> {
  bed.model.script({ session: session.id }, saving(content), say("saved"))
  const turn = await bed.prompt(session, "go on")
  expect(turn.toolCalls.map(({ tool, status }) => [tool, status])).toEqual([["hivemind_memory", "completed"]])
}

function mems(project: string): [content: string, branch: string | null][] {
  const { state } = openFileStore(project, { source: systemSource }).read()
  const saved = [...state.mem.values()].filter(({ origin }) => origin === "saved")
  return saved.map(({ content, branch }): [string, string | null] => [content, branch]).sort()
}

function ours(project: string): string[] {
  return gitStatus(project).filter((line) => line.includes(".hivemind"))
}
