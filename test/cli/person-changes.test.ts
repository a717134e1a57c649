import { spawnSync } from "node:child_process"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { beforeEach, describe, expect, test } from "vitest"
import { hivePaths } from "../../src/store/files/layout.ts"
import { type Filled, fillProject, MEM, withStore } from "./filled-project.ts"
import { cli, useSandbox } from "./harness.ts"

const box = useSandbox()
let filled: Filled
beforeEach(async () => {
  filled = await fillProject(box.project)
})

const json = async (...args: string[]) => JSON.parse((await cli(box, [...args, "--json"])).stdout)
const state = () => withStore(box.project, async (store) => store.read().state)

async function undo(entry: string): Promise<void> {
  expect((await cli(box, ["undo", entry])).code).toBe(0)
}

describe("remember", () => {
  test("saves a mem with its kind, tags and evidence, which recall finds; undo takes it back", async () => {
    writeFileSync(join(box.project, "ci.yml"), "port: 5432\n")
    const saved = await json(
      ...["remember", "Port 5432 is taken by CI", "--kind", "fact", "--tag", "ports", "ci"],
      ...["--evidence", "ci.yml:1", "--task", filled.task],
    )
    expect(saved.mem).toMatchObject({
      ...{ kind: "fact", tags: ["ports", "ci"], origin: "saved", session_id: null },
      origin_task_id: filled.task,
      evidence: [expect.stringMatching(/^ci\.yml:1@/)],
    })
    expect((await cli(box, ["recall", "port 5432"])).stdout).toContain("Port 5432 is taken by CI")
    await undo(saved.entry)
    expect((await cli(box, ["recall", "port 5432"])).stdout).not.toContain("taken by CI")
  })

  test("says that a text is known already, and names no entry to undo", async () => {
    await json("remember", "The till uses port 5433")
    await json("remember", "Staging has no mail server")
    const again = await cli(box, ["remember", "The till uses port 5433"])
    expect(again.stdout).toContain("Nothing was changed")
    expect(again.stdout).not.toContain("hivemind undo")
    expect((await json("remember", "The till uses port 5433")).entry).toBeUndefined()
  })

  test("saves an anchor by its key", async () => {
    const args = ["remember", "main is frozen until Friday", "--anchor", "freeze", "--priority", "critical"]
    expect((await json(...args)).anchor).toMatchObject({ key: "freeze", priority: "critical" })
    expect((await cli(box, ["memory", "anchors", "freeze"])).stdout).toContain("main is frozen until Friday")
    expect((await cli(box, args)).code).toBe(1)
  })

  test("needs no task where governance is strict: that holds for agents", async () => {
    writeFileSync(hivePaths(box.project).config, '{ "governance": "strict" }')
    expect((await cli(box, ["remember", "Ann knows the deploy keys"])).code).toBe(0)
  })

  test("wrong usage says what to do", async () => {
    expect((await cli(box, ["remember"])).code).toBe(2)
    expect((await cli(box, ["remember", "x", "--kind", "rumour"])).code).toBe(2)
    expect((await cli(box, ["remember", "x", "--anchor", "k", "--kind", "fact"])).code).toBe(2)
  })
})

describe("memory", () => {
  test("--edit puts a new mem in the place of the old one, as undo puts the old one back", async () => {
    const edited = await json("memory", MEM, "--edit", "Use jose 5")
    expect(edited.mem).toMatchObject({ content: "Use jose 5", supersedes: MEM, origin_task_id: filled.task })
    expect((await state()).mem.get(MEM)?.status).toBe("superseded")
    expect((await cli(box, ["memory"])).stdout).toMatch(/^\S+ context\/insight {2}Use jose 5\n$/)
    await undo(edited.entry)
    expect((await state()).mem.get(MEM)?.status).toBe("active")
  })

  test("--delete shows it nowhere again, and undo brings it back", async () => {
    const deleted = await json("memory", MEM, "--delete")
    expect(deleted.deleted).toEqual([MEM])
    expect((await cli(box, ["memory", "--all"])).stdout).not.toContain("jose")
    expect((await cli(box, ["recall", "jose"])).code).toBe(1)
    expect((await cli(box, ["log"])).stdout).toContain("hivemind memory")
    await undo(deleted.entry)
    expect((await cli(box, ["recall", "jose"])).stdout).toContain("Use jose")
  })
})

describe("plans and tasks", () => {
  test("a task is closed as done or failed, with any holder and whether or not it was started", async () => {
    const { items } = await json("tasks")
    const waiting = items.find(({ title }: { title: string }) => title === "Write tests")
    const closed = await json("tasks", filled.task, "--close", "--reason", "Ann did it")
    expect(closed.task).toMatchObject({ status: "completed", evidence: "Ann did it" })
    expect(await json("tasks", waiting.id, "--close")).toMatchObject({ task: { status: "completed" } })
    const again = await cli(box, ["tasks", filled.task, "--close"])
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining("completed already") })
    await undo(closed.entry)
    expect(await json("tasks", filled.task, "--close", "failed")).toMatchObject({
      task: { status: "failed", reason: "closed by the user" },
    })
    expect((await cli(box, ["tasks", "--close"])).code).toBe(2)
    expect((await cli(box, ["tasks", filled.task, "--close", "maybe"])).code).toBe(2)
  })

  test("a plan with open tasks is not archived; it can be abandoned, and undone", async () => {
    const { items } = await json("plans")
    const [{ id }] = items
    const open = await cli(box, ["plans", id, "--archive"])
    expect(open).toMatchObject({ code: 1, stderr: expect.stringContaining("2 task(s) are open") })
    const abandoned = await json("plans", id, "--abandon", "--reason", "the rewrite does it")
    expect(abandoned.plan).toMatchObject({ status: "abandoned", reason: "the rewrite does it" })
    await undo(abandoned.entry)
    for (const [task] of (await state()).task) await json("tasks", task, "--close")
    expect(await json("plans", id, "--archive")).toMatchObject({ plan: { status: "archived" } })
    expect((await cli(box, ["plans", "--archive"])).code).toBe(2)
    expect((await cli(box, ["plans", id, "--archive", "--abandon"])).code).toBe(2)
  })
})

test("an agent's shell can do none of it, and changes nothing", async () => {
  const before = (await state()).mem.size
  const [[plan = ""] = []] = (await state()).plan
  for (const args of [
    ["remember", "x"],
    ["memory", MEM, "--edit", "x"],
    ["memory", MEM, "--delete"],
    ["memory", MEM, "--flag", "x"],
    ["plans", plan, "--abandon"],
    ["tasks", filled.task, "--close"],
  ])
    for (const agent of [{ env: { HIVEMIND_SESSION: "ses_1" } }, { ancestors: ["bash", "opencode"] }]) {
      const { code, stderr } = await cli(box, args, box.project, agent.env ?? {}, agent)
      expect([args, code, stderr]).toEqual([args, 1, expect.stringContaining("needs a person")])
    }
  const after = await state()
  expect([after.mem.size, after.mem.get(MEM)?.content]).toEqual([before, "Use jose"])
  expect(after.task.get(filled.task)?.status).toBe("active")
})

test("in a deleted folder every command says so in a sentence; an absolute --dir still works", () => {
  const gone = join(box.root, "gone")
  const main = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url))
  const run = (...args: string[]) => {
    mkdirSync(gone)
    const script = 'rmdir "$PWD"; exec "$0" "$@"'
    const env = { PATH: process.env["PATH"], HOME: box.home }
    return spawnSync("sh", ["-c", script, process.execPath, main, ...args], {
      cwd: gone,
      env,
      encoding: "utf8",
    })
  }
  for (const name of ["status", "mcp", "init"]) {
    const { status, stderr } = run(name)
    expect([name, status, stderr]).toEqual([name, 3, expect.stringContaining("does not exist any more")])
    expect(stderr).not.toMatch(/\n\s+at /)
  }
  expect(run("plans", "--dir", box.project)).toMatchObject({
    status: 0,
    stdout: expect.stringContaining("Login"),
  })
})

describe("rules", () => {
  test("are added, changed, listed, written to AGENTS.md and removed; what is no rule is refused", async () => {
    const { rule } = await json("rules", "--add", "Use pnpm in packages/web")
    expect(rule).toMatchObject({ kind: "rule", origin: "saved", scope: "packages/web" })
    const edited = await json("rules", rule.id, "--edit", "Use pnpm 10 in packages/web")
    expect((await json("rules")).rules).toMatchObject([{ id: edited.rule.id, supersedes: rule.id }])
    writeFileSync(join(box.project, "AGENTS.md"), "# Ours\n")
    for (const _ of [1, 2]) expect((await cli(box, ["rules", "--write", "AGENTS.md"])).code).toBe(0)
    expect(readFileSync(join(box.project, "AGENTS.md"), "utf8")).toBe(
      "# Ours\n\n<!-- hivemind rules: begin -->\n## Rules\n\n- Use pnpm 10 in packages/web\n<!-- hivemind rules: end -->\n",
    )
    expect((await cli(box, ["rules", "--write", "../AGENTS.md"])).code).toBe(2)
    await undo((await json("rules", edited.rule.id, "--remove")).entry)
    expect((await cli(box, ["rules"])).stdout).toContain("Use pnpm 10")
    expect((await cli(box, ["rules", MEM, "--remove"])).code).toBe(1)
  })
})
