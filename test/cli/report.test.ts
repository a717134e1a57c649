import { expect, test } from "vitest"
import { localTime } from "../../src/shared/time.ts"
import { hivePaths } from "../../src/store/files/layout.ts"
import { usageFile } from "../../src/store/files/usage-file.ts"
import { git } from "../support/git-repo.ts"
import { aCheckpoint, aMem, aTask, by, uuid } from "../support/records.ts"
import { ANSWER, SESSION, useFilledProject, withStore } from "./filled-project.ts"
import { cli, cliJson, projectFiles, shown } from "./harness.ts"

const box = useFilledProject()
const { put } = projectFiles(box)
const at = (minute: number) => {
  const time = `2026-11-15T10:${String(minute).padStart(2, "0")}:00.000Z`
  return { created_at: time, updated_at: time }
}

async function work(branch: string | null = null): Promise<void> {
  put("src/login.ts", "")
  await withStore(box.project, async (store) => {
    const task = store.read().state.task.get(box.task)
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
}

test("says what was asked, decided, done, checked, tried and spent, with links to the files", async () => {
  await work()
  usageFile(hivePaths(box.project)).add({ ...ANSWER, task: box.task, plan: uuid(1) })
  const checked = localTime("2026-11-15T10:02:00.000Z")
  const changed = "[`src/login.ts`](src/login.ts), src/old.ts"
  expect(partsOf(await shown(box, "report"))).toEqual({
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
  git(box.project, "init", "-q", "-b", "login")
  git(box.project, "remote", "add", "origin", "https://name:secret@github.com/an/app.git")
  await work("login")
  const parts = partsOf(await shown(box, "report"))
  const link = "[`src/login.ts`](https://github.com/an/app/blob/login/src/login.ts)"
  expect(parts["Files"]).toEqual([link, "`src/old.ts` (removed)"])
  // "Write tests" was planned on no branch.
  expect(parts["Not finished"]).toEqual(["Build login (active)"])
  const json = (args: string) => cliJson(box, `report ${args}`)
  const nothing = { done: [], unfinished: [], files: [], spent: null }
  expect(await json("--branch main")).toMatchObject({ scope: { branch: "main" }, ...nothing })
  expect(await shown(box, "report --branch main")).toContain("No work was recorded on branch main")
  const { plans, unfinished, decided } = await json("--since 2026-11-15")
  expect([plans.length, unfinished.length, decided.length]).toEqual([1, 1, 1])
  expect((await json(`--plan ${plans[0].id}`)).files).toHaveLength(2)
  expect((await json(`--plan ${plans[0].id} --since 2099-01-01`)).files).toEqual([])
  expect((await cli(box, "report --plan nothing")).code).toBe(1)
})

function partsOf(markdown: string): Record<string, string[]> {
  const parts = markdown.split(/^## /m).slice(1)
  return Object.fromEntries(
    parts.map((part) => {
      const [title = "", ...lines] = part.split("\n")
      return [title, lines.filter((line) => line !== "").map((line) => line.replace(/^- /, ""))]
    }),
  )
}
