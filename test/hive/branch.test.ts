import { realpathSync, rmSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { pack } from "../../src/context/pack/pack.ts"
import { branchOf } from "../../src/hive/open.ts"
import { recordCheckpoint } from "../../src/work/task/checkpoint.ts"
import { defined } from "../support/defined.ts"
import { git, repoWithLinked } from "../support/git-repo.ts"
import { graphOf } from "../support/graph.ts"
import { beginWork, openProcess, SESSION } from "../support/hive-at-work.ts"
import { T0 } from "../support/records.ts"
import { tempProject } from "../support/temp-project.ts"
import { callTool } from "../tools/call-tool.ts"

const onTwoBranches = async () => repoWithLinked(realpathSync(await tempProject()), "-b", "feature/one")

it("returns the current branch of the worktree, or none for a detached HEAD", async () => {
  const { repo, linked } = await onTwoBranches()
  const [here, there] = [branchOf(repo), branchOf(linked)]
  expect([here(), there()]).toEqual(["main", "feature/one"])
  git(repo, "switch", "-q", "-c", "other")
  expect([here(), there()]).toEqual(["other", "feature/one"])
  git(repo, "switch", "-q", "--detach")
  expect(here()).toBe(null)
  git(repo, "switch", "-q", "main")
  expect(here()).toBe("main")
  rmSync(join(repo, ".git"), { recursive: true })
  expect([here(), there()]).toEqual([null, null])
  expect(branchOf(await tempProject())()).toBe(null)
})

it("every record carries the branch it was made on, and keeps it", async () => {
  const { repo, linked } = await onTwoBranches()
  const [hive, other] = [await openProcess(repo), await openProcess(linked)]
  const { task } = await beginWork(hive)
  await callTool(hive, "anchor", { action: "save", key: "port", value: "80" })
  await callTool(other, "memory", {
    action: "save",
    content: "from the other worktree",
    origin_task_id: task,
  })
  git(repo, "switch", "-q", "-c", "next")
  await callTool(hive, "memory", { action: "save", content: "on the next branch" })
  const outcome = { tool: "write", summary: "write a.ts", files: ["a.ts"], command: null, ok: true }
  const caller = { session: SESSION, agent: null, tool: "write" }
  const active = defined(hive.store.read().state.task.get(task))
  await recordCheckpoint(hive, caller, active, outcome)
  const { state } = hive.store.read()
  expect([...state.checkpoint.values()].map(({ branch }) => branch)).toEqual(["next"])
  for (const kind of ["session", "plan", "task", "anchor"] as const)
    expect([...state[kind].values()].map((record) => record.branch)).toEqual(["main"])
  expect([...state.mem.values()].map(({ content, branch }) => [content, branch]).sort()).toEqual([
    ["from the other worktree", "feature/one"],
    ["on the next branch", "next"],
  ])
  expect([...state.phase.values()].every((phase) => !("branch" in phase))).toBe(true)
  // Undoing the entry and undoing that undo restores the record with its original branch.
  const entry = (await hive.store.log({ naming: "from the other worktree" })).at(-1)
  const undone = await hive.store.undo(entry?.id ?? "", { tool: "test", session: SESSION, agent: null })
  await hive.store.undo(undone.id, { tool: "test", session: SESSION, agent: null })
  const again = [...hive.store.read().state.mem.values()].find(({ content }) => content.startsWith("from"))
  expect(again?.branch).toBe("feature/one")
  await Promise.all([hive.store.close(), other.store.close()])
})

it("of equally relevant records the packer prefers those made on the current branch", () => {
  const g = graphOf()
  const plan = g.plan("Auth")
  const phase = g.phase(plan, "API")
  const task = g.task(phase, "Login", { status: "active" })
  const head = g.head("x", plan, phase, task)
  g.mem("made on one", { branch: "one" })
  g.mem("made on two", { branch: "two" })
  g.mem("near, from two", { branch: "two", origin_task_id: task.id })
  const order = (branch: string | null) =>
    pack(g.state, head, { now: T0, branch })
      .xml.match(/made on one|made on two|near, from two/g)
      ?.filter((each, at, all) => all.indexOf(each) === at)
  expect(order("one")).toEqual(["near, from two", "made on one", "made on two"])
  expect(order("two")).toEqual(["near, from two", "made on two", "made on one"])
})
