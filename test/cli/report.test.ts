import { execFileSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { localTime } from "../../src/shared/time.ts"
import { hivePaths } from "../../src/store/files/layout.ts"
import { usageFile } from "../../src/store/files/usage-file.ts"
import { aCheckpoint, aMem, aTask, by, uuid } from "../support/records.ts"
import { type Filled, fillProject, SESSION, withStore } from "./filled-project.ts"
import { cli, useSandbox } from "./harness.ts"

const box = useSandbox()
const at = (minute: number) => {
  const time = `2026-11-15T10:${String(minute).padStart(2, "0")}:00.000Z`
  return { created_at: time, updated_at: time }
}

/** "Build login" with a failed and a passed test run, a file written after it, a decision, a false path, a failed task. */
async function work(branch: string | null = null): Promise<Filled> {
  const filled = await fillProject(box.project)
  mkdirSync(join(box.project, "src"))
  writeFileSync(join(box.project, "src", "login.ts"), "")
  await withStore(box.project, async (store) => {
    const task = store.read().state.task.get(filled.task)
    if (task === undefined) throw new Error("the project has a task")
    const { parent_plan_id, parent_phase_id } = task
    const place = { task_id: task.id, session_id: SESSION, branch }
    const test = { ...place, command: "npm test", did: ["test" as const], files: [] }
    await store.write(by, (tx) => {
      tx.add("checkpoint", aCheckpoint(30, 0, { ...test, ...at(1), ok: false }))
      tx.add("checkpoint", aCheckpoint(31, 0, { ...test, ...at(2), ok: true }))
      const files = ["src/login.ts", "src/old.ts"]
      tx.add("checkpoint", aCheckpoint(32, 0, { ...place, ...at(3), files, removed: ["src/old.ts"] }))
      const beside = { parent_plan_id, parent_phase_id, status: "active" as const, branch }
      tx.add("task", aTask(33, 0, 0, { ...beside, title: "Use OAuth", ...at(3) }))
      const own = { origin_task_id: task.id, branch, ...at(3) }
      const evidence = ["src/login.ts:3-4@0123456789abcdef", "the user said so"]
      tx.add("mem", aMem(34, { ...own, kind: "decision", resolved: true, content: "Use <JWT>", evidence }))
      tx.add("mem", aMem(35, { ...own, kind: "decision", resolved: false, content: "How long?" }))
      tx.add("mem", aMem(36, { ...own, kind: "false_path", content: "Cookies break [CORS](x)" }))
    })
    await store.write(by, (tx) => tx.set("task", uuid(33), { status: "failed", reason: "no key" }))
  })
  return filled
}

test("says what was asked, decided, done, checked, tried and spent, with links to the files", async () => {
  const { task } = await work()
  usageFile(hivePaths(box.project)).add({
    ...{ at: "2026-11-15T10:00:00.000Z", message: "msg_1", session: SESSION, parent: null, agent: null },
    ...{ model: "test/one", task, plan: uuid(1), delegation: null },
    ...{ input: 1200, cache_write: 0, cache_read: 30_000, output: 400, reasoning: 0, cost: 0.25 },
  })
  const { stdout, code } = await cli(box, ["report"])
  expect(code).toBe(0)
  const checked = localTime("2026-11-15T10:02:00.000Z")
  const changed = "[`src/login.ts`](src/login.ts), src/old.ts"
  expect(partsOf(stdout)).toEqual({
    Asked: ["Add a login page"],
    Decided: ["Use \\<JWT> — [`src/login.ts:3-4`](src/login.ts#L3-L4), the user said so"],
    "Still to decide": ["How long?"],
    "Not finished": ["Write tests (planned)", "Build login (active)"],
    Verified: [`\`npm test\` passed, ${checked}, 2 runs, 1 failed before. **Changed since:** ${changed}`],
    "Tried and failed": ["Cookies break \\[CORS\\](x)", "Use OAuth: no key"],
    Files: ["[`src/login.ts`](src/login.ts)", "`src/old.ts` (removed)"],
    "Cost of these tasks": ["1 answer: 1,200 fresh input tokens, 30,000 from cache, 400 output, $0.2500"],
  })
})

test("is about the branch that is checked out, another one, a plan, or a time", async () => {
  git("init", "-q", "-b", "login")
  git("remote", "add", "origin", "https://name:secret@github.com/an/app.git")
  await work("login")
  const { stdout } = await cli(box, ["report"])
  const link = "[`src/login.ts`](https://github.com/an/app/blob/login/src/login.ts)"
  expect(partsOf(stdout)["Files"]).toEqual([link, "`src/old.ts` (removed)"])
  // "Write tests" was planned on no branch.
  expect(partsOf(stdout)["Not finished"]).toEqual(["Build login (active)"])
  const json = async (...args: string[]) => JSON.parse((await cli(box, ["report", "--json", ...args])).stdout)
  const other = await json("--branch", "main")
  expect(other).toMatchObject({ scope: { branch: "main" }, done: [], unfinished: [], files: [], spent: null })
  expect((await cli(box, ["report", "--branch", "main"])).stdout).toContain(
    "No work was recorded on branch main",
  )
  const { plans, unfinished, decided } = await json("--since", "2026-11-15")
  expect([plans.length, unfinished.length, decided.length]).toEqual([1, 1, 1])
  const ofPlan = await json("--plan", plans[0].id)
  expect(ofPlan.files).toHaveLength(2)
  expect((await json("--plan", plans[0].id, "--since", "2099-01-01")).files).toEqual([])
  expect((await cli(box, ["report", "--plan", "nothing"])).code).toBe(1)
})

/** The lines below each heading. */
function partsOf(markdown: string): Record<string, string[]> {
  const parts = markdown.split(/^## /m).slice(1)
  return Object.fromEntries(
    parts.map((part) => {
      const [title = "", ...lines] = part.split("\n")
      return [title, lines.filter((line) => line !== "").map((line) => line.replace(/^- /, ""))]
    }),
  )
}

function git(...args: string[]): void {
  execFileSync("git", args, { cwd: box.project })
}
