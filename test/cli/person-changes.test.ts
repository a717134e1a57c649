import { expect, test } from "vitest"
import { MEM, useFilledProject, withStore } from "./filled-project.ts"
import { cli, cliJson, projectFiles, shown } from "./harness.ts"

const box = useFilledProject()
const { read, put } = projectFiles(box)
const json = (args: string) => cliJson(box, args)
const state = () => withStore(box.project, async (store) => store.read().state)
const undo = (entry: string) => shown(box, `undo ${entry}`)

test("remember saves a mem with its kind, tags and evidence, which recall finds; undo takes it back", async () => {
  put("ci.yml", "port: 5432\n")
  const more = `--kind fact --tag ports ci --evidence ci.yml:1 --task ${box.task}`.split(" ")
  const saved = await cliJson(box, ["remember", "Port 5432 is taken by CI", ...more])
  expect(saved.mem).toMatchObject({
    ...{ kind: "fact", tags: ["ports", "ci"], origin: "saved", session_id: null },
    origin_task_id: box.task,
    evidence: [expect.stringMatching(/^ci\.yml:1@/)],
  })
  expect(await shown(box, "recall port 5432")).toContain("Port 5432 is taken by CI")
  await undo(saved.entry)
  expect((await cli(box, "recall port 5432")).stdout).not.toContain("taken by CI")
})

test("remember says that a text is known already, and names no entry to undo", async () => {
  const text = ["remember", "The till uses port 5433"]
  await cli(box, text)
  await cli(box, ["remember", "Staging has no mail server"])
  const again = await shown(box, text)
  expect(again).toContain("Nothing was changed")
  expect(again).not.toContain("hivemind undo")
  expect((await cliJson(box, text)).entry).toBeUndefined()
})

test("remember saves an anchor by its key", async () => {
  const args = ["remember", "main is frozen until Friday", "--anchor", "freeze", "--priority", "critical"]
  expect((await cliJson(box, args)).anchor).toMatchObject({ key: "freeze", priority: "critical" })
  expect(await shown(box, "memory anchors freeze")).toContain("main is frozen until Friday")
  expect((await cli(box, args)).code).toBe(1)
})

test("remember needs no task even in strict governance, which applies only to agents", async () => {
  put(".hivemind/system/config.json", '{ "governance": "strict" }')
  await shown(box, ["remember", "Ann knows the deploy keys"])
})

test.each([
  "remember",
  "remember x --kind rumour",
  "remember x --anchor k --kind fact",
  `memory ${MEM} --flag`,
  "memory --delete",
  "memory anchors --edit x",
  "tasks --close",
  `tasks ${MEM} --close maybe`,
  "plans --archive",
  `plans ${MEM} --archive --abandon`,
  "rules --write ../AGENTS.md",
])("`hivemind %s` is wrong usage", async (args) => {
  expect((await cli(box, args)).code).toBe(2)
})

test("memory --edit replaces a mem by a new one, and undo restores the old one", async () => {
  const edited = await cliJson(box, ["memory", MEM, "--edit", "Use jose 5"])
  expect(edited.mem).toMatchObject({ content: "Use jose 5", supersedes: MEM, origin_task_id: box.task })
  expect((await state()).mem.get(MEM)?.status).toBe("superseded")
  expect(await shown(box, "memory")).toMatch(/^\S+ context\/insight {2}Use jose 5\n$/)
  await undo(edited.entry)
  expect((await state()).mem.get(MEM)?.status).toBe("active")
})

test.each([
  ["memory", "the id's start"],
  ["memory anchors", "the id's start"],
  ["memory anchors", "the key"],
])("`%s` with %s edits and deletes an anchor, and undo takes each back", async (command, by) => {
  const { anchor } = await cliJson(box, ["remember", "main is frozen", "--anchor", "freeze"])
  const given = [...command.split(" "), by === "the key" ? "freeze" : anchor.id.slice(0, 8)]
  const value = async () => (await cliJson(box, given)).anchor?.value
  const edited = await cliJson(box, [...given, "--edit", "main is open again"])
  expect(edited.anchor).toMatchObject({ id: anchor.id, value: "main is open again", priority: "medium" })
  expect(await value()).toBe("main is open again")
  await undo(edited.entry)
  expect(await value()).toBe("main is frozen")
  const deleted = await cliJson(box, [...given, "--delete"])
  expect(deleted.deleted).toBe(anchor.id)
  expect(await shown(box, "memory anchors")).not.toContain("freeze")
  await undo(deleted.entry)
  expect(await value()).toBe("main is frozen")
})

test("memory --delete removes a mem from all lists, and undo brings it back", async () => {
  const deleted = await json(`memory ${MEM} --delete`)
  expect(deleted.deleted).toEqual([MEM])
  expect(await shown(box, "memory --all")).not.toContain("jose")
  expect((await cli(box, "recall jose")).code).toBe(1)
  expect(await shown(box, "log")).toContain("hivemind memory")
  await undo(deleted.entry)
  expect(await shown(box, "recall jose")).toContain("Use jose")
})

test("memory --flag turns a mem into a false path with a reason, which recall shows", async () => {
  expect(await shown(box, ["memory", MEM, "--flag", "no longer kept up"])).toMatch(
    /^00000000 is now marked as wrong: no longer kept up\n`hivemind undo \w{8}` /,
  )
  expect(await shown(box, "memory")).toBe("Nothing is remembered yet.\n")
  expect(await shown(box, "recall jose")).toContain("because: no longer kept up")
})

test("a task is closed as done or failed, with any holder and whether or not it was started", async () => {
  const { items } = await json("tasks")
  const waiting = items.find(({ title }: { title: string }) => title === "Write tests")
  const closed = await cliJson(box, ["tasks", box.task, "--close", "--reason", "Ann did it"])
  expect(closed.task).toMatchObject({ status: "completed", evidence: "Ann did it" })
  expect(await json(`tasks ${waiting.id} --close`)).toMatchObject({ task: { status: "completed" } })
  const again = await cli(box, `tasks ${box.task} --close`)
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining("completed already") })
  await undo(closed.entry)
  const failed = { status: "failed", reason: "closed by the user" }
  expect((await json(`tasks ${box.task} --close failed`)).task).toMatchObject(failed)
})

test("a plan with open tasks is not archived; it can be abandoned, and undone", async () => {
  const [[id = ""] = []] = (await state()).plan
  const open = await cli(box, `plans ${id} --archive`)
  expect(open).toMatchObject({ code: 1, stderr: expect.stringContaining("The plan has 2 open tasks") })
  const abandoned = await cliJson(box, ["plans", id, "--abandon", "--reason", "the rewrite does it"])
  expect(abandoned.plan).toMatchObject({ status: "abandoned", reason: "the rewrite does it" })
  await undo(abandoned.entry)
  for (const [task] of (await state()).task) await json(`tasks ${task} --close`)
  expect((await json(`plans ${id} --archive`)).plan).toMatchObject({ status: "archived" })
})

test("refuses all of these commands in an agent's shell", async () => {
  const before = (await state()).mem.size
  const [[plan = ""] = []] = (await state()).plan
  const [[key = ""] = []] = (await state()).anchor
  for (const args of [
    "remember x",
    `memory ${MEM} --edit x`,
    `memory ${MEM} --delete`,
    `memory ${MEM} --flag x`,
    `memory anchors ${key} --delete`,
    `plans ${plan} --abandon`,
    `tasks ${box.task} --close`,
  ])
    for (const agent of [{ env: { HIVEMIND_SESSION: "ses_1" } }, { ancestors: ["bash", "opencode"] }]) {
      const { code, stderr } = await cli(box, args, box.project, agent.env ?? {}, agent)
      expect([args, code, stderr]).toEqual([args, 1, expect.stringContaining("needs a person")])
    }
  const { mem, task } = await state()
  expect([mem.size, mem.get(MEM)?.content]).toEqual([before, "Use jose"])
  expect(task.get(box.task)?.status).toBe("active")
})

test("rules are added, changed, listed, written to AGENTS.md and removed; what is no rule is refused", async () => {
  const { rule } = await cliJson(box, ["rules", "--add", "Use pnpm in packages/web"])
  expect(rule).toMatchObject({ kind: "rule", origin: "saved", scope: "packages/web" })
  const edited = await cliJson(box, ["rules", rule.id, "--edit", "Use pnpm 10 in packages/web"])
  expect((await json("rules")).rules).toMatchObject([{ id: edited.rule.id, supersedes: rule.id }])
  put("AGENTS.md", "# Ours\n")
  for (const _ of [1, 2]) await shown(box, "rules --write AGENTS.md")
  expect(read("AGENTS.md")).toBe(
    "# Ours\n\n<!-- hivemind rules: begin -->\n## Rules\n\n- Use pnpm 10 in packages/web\n<!-- hivemind rules: end -->\n",
  )
  await undo((await json(`rules ${edited.rule.id} --remove`)).entry)
  expect(await shown(box, "rules")).toContain("Use pnpm 10")
  expect((await cli(box, `rules ${MEM} --remove`)).code).toBe(1)
})
