import { mkdir, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { pack } from "../../src/context/pack/pack.ts"
import { headOf } from "../../src/graph/read-head.ts"
import { fileStatusLookup } from "../../src/project/document/file-status.ts"
import type { Task } from "../../src/schemas/task.ts"
import { createValidation, refreshQueue } from "../../src/watch/validation.ts"
import { recordCheckpoint } from "../../src/work/task/checkpoint.ts"
import { leaveEvidence } from "../support/evidence.ts"
import { graphOf } from "../support/graph.ts"
import { memoryHive } from "../support/hive.ts"
import { T0 } from "../support/records.ts"
import { tempProject } from "../support/temp-project.ts"
import { callTool } from "../tools/call-tool.ts"

const BEFORE = "# Goal\nlogin\n# Steps\none\n"
const AFTER = "# Goal\nlogin\n# Steps\ntwo\n"

async function project(text: string | null = BEFORE) {
  const dir = await tempProject()
  await mkdir(join(dir, "docs"))
  const write = (path: string, content: string) => writeFile(join(dir, path), content)
  if (text !== null) await write("docs/plan.md", text)
  const hive = { ...memoryHive(), home: dir, dir }
  const create = (title = "P", path = "docs/plan.md") =>
    callTool(hive, "plan", { action: "create", title, acceptance: [], sot_document_path: path })
  const made = await create()
  const tasks = [{ title: "T", expected_output: "x" }]
  const planned = await callTool(hive, "plan", { action: "plan_tasks", plan_id: made.entity_id, tasks })
  await callTool(hive, "task", { action: "start", task_id: planned.entity_id })
  const files = fileStatusLookup(dir)
  let messages = 0
  const validate = createValidation(files, () => messages)
  const at = (moment: "session start" | "turn end" | "idle again", session = "ses_1") => {
    // A turn begins with a message; the host can also be idle a second time without one.
    if (moment === "turn end") messages++
    const caller = { session, agent: null, tool: moment }
    return validate(hive, caller, moment === "session start" ? moment : "turn end")
  }
  const artifact = (path = "docs/plan.md") =>
    [...hive.store.read().state.artifact.values()].find((each) => each.path === path && each.task_id === null)
  const line = () => {
    const { state } = hive.store.read()
    const { xml } = pack(state, headOf(state, "ses_1"), { now: hive.source.now(), files })
    return /<plan .*/.exec(xml)?.[0] ?? ""
  }
  const wrote = (...files: string[]) => {
    const caller = { session: "ses_1", agent: "build", tool: "tool write" }
    const task = hive.store.read().state.task.get(planned.entity_id) as Task
    return recordCheckpoint(hive, caller, task, {
      tool: "write",
      summary: "x",
      files,
      command: null,
      ok: true,
    })
  }
  return { dir, hive, made, create, write, at, artifact, line, wrote, taskId: planned.entity_id as string }
}

describe("a plan's document", () => {
  it("is registered with its sections; nothing is written without changes", async () => {
    const { hive, made, artifact, at } = await project()
    const sections = [{ heading: "Goal" }, { heading: "Steps" }]
    expect(artifact()).toMatchObject({ plan_id: made.entity_id, status: "current", sections })
    const entries = (await hive.store.log()).length
    for (const moment of ["session start", "turn end", "turn end"] as const)
      expect(await at(moment)).toEqual([])
    expect(await hive.store.log()).toHaveLength(entries)
  })

  it("is a warning while missing, and registered when it appears", async () => {
    const { made, artifact, at, line, write } = await project(null)
    expect(made).toMatchObject({ status: "success", warning: expect.stringContaining("docs/plan.md") })
    expect(line()).not.toContain("document=")
    expect(await at("turn end")).toEqual([])
    await write("docs/plan.md", BEFORE)
    expect(line()).toContain('document="docs/plan.md"')
    expect(await at("turn end")).toEqual(["docs/plan.md: appeared"])
    expect(artifact()).toMatchObject({ plan_id: made.entity_id, sections: [{}, {}] })
  })

  it.each(["../plan.md", "/etc/hostname", "docs"])("at %s is refused, and no plan is made", async (path) => {
    const { hive, create } = await project()
    const entries = (await hive.store.log()).length
    expect(await create("Q", path)).toMatchObject({ status: "error", code: "invalid_argument" })
    expect(await hive.store.log()).toHaveLength(entries)
  })

  it("edited outside is shown as changed until the end of a turn that was shown it", async () => {
    const { artifact, at, line, write } = await project()
    await write("docs/plan.md", AFTER)
    expect(await at("session start", "ses_2")).toEqual(["docs/plan.md: changed"])
    expect(artifact()).toMatchObject({ status: "changed" })
    expect(line()).toContain('document_changed="Steps"')
    expect(await at("session start", "ses_3")).toEqual([])
    // This session was in the middle of its turn all the while: it has been shown nothing yet.
    expect(await at("turn end", "ses_1")).toEqual([])
    expect(line()).toContain('document_changed="Steps"')
    expect(await at("turn end", "ses_2")).toEqual(["docs/plan.md: accepted"])
    expect(artifact()).toMatchObject({ status: "current" })
    expect(line()).not.toContain("document_changed")
  })

  it("counts as new until a message has shown it, also after an abort; so does an edit during the turn", async () => {
    const { artifact, at, line, write } = await project()
    await write("docs/plan.md", AFTER)
    expect(await at("turn end")).toEqual(["docs/plan.md: changed"])
    for (let n = 0; n < 2; n++) expect(await at("idle again")).toEqual([])
    expect(artifact()).toMatchObject({ status: "changed" })
    await write("docs/plan.md", `${AFTER}# Risks\nmany\n`)
    expect(line()).toContain('document_changed="Steps, Risks (new)"')
    expect(await at("turn end")).toEqual([])
    expect(artifact()).toMatchObject({ status: "changed" })
    expect(await at("turn end")).toEqual(["docs/plan.md: accepted"])
  })

  it("is not shown by a turn on another plan", async () => {
    const { hive, artifact, at, write } = await project()
    await callTool(hive, "session", { action: "update", level: "trajectory", content: "Other" }, "ses_2")
    await write("docs/plan.md", AFTER)
    await at("session start")
    for (let n = 0; n < 2; n++) await at("turn end", "ses_2")
    expect(artifact()).toMatchObject({ status: "changed" })
  })

  it("moved by a task is followed, also in the plan's line", async () => {
    const { dir, artifact, at, line, wrote, write } = await project()
    await rename(join(dir, "docs/plan.md"), join(dir, "docs/login.md"))
    expect(line()).not.toContain("document=")
    await wrote("docs/plan.md", "docs/login.md")
    expect(await at("turn end")).toEqual(["docs/plan.md: superseded"])
    expect(artifact()).toMatchObject({ status: "superseded", superseded_by: expect.any(String) })
    expect(line()).toContain('document="docs/login.md"')
    await write("docs/login.md", AFTER)
    expect(line()).toContain('document="docs/login.md" document_changed="Steps"')
  })

  it("of an abandoned plan stays with another that uses it, or is abandoned; a new plan can take it", async () => {
    const { hive, made, create, artifact, write, line } = await project()
    const other = await create("Other")
    expect(artifact()).toMatchObject({ plan_id: other.entity_id })
    await callTool(hive, "plan", { action: "abandon", plan_id: other.entity_id, reason: "x" })
    expect(artifact()).toMatchObject({ status: "current", plan_id: made.entity_id })
    const abandon = { action: "abandon", plan_id: made.entity_id, reason: "a better way" }
    expect(await callTool(hive, "plan", abandon)).toMatchObject({ status: "success" })
    expect(artifact()).toMatchObject({ status: "abandoned" })
    expect(line()).not.toContain("document=")
    await write("docs/plan.md", AFTER)
    const again = await create("Q")
    expect(artifact()).toMatchObject({ status: "current", plan_id: again.entity_id })
  })
})

describe("a document that a task writes", () => {
  it("is registered with hash and sections; other files without sections", async () => {
    const { hive, taskId, write, wrote } = await project()
    await write("docs/notes.md", BEFORE)
    await write("docs/a.ts", "x")
    await wrote("docs/notes.md", "docs/a.ts", "docs/gone.md")
    const ofTask = [...hive.store.read().state.artifact.values()].filter(({ task_id }) => task_id === taskId)
    const sections = [{ heading: "Goal" }, { heading: "Steps" }]
    expect(ofTask).toMatchObject([
      { path: "docs/notes.md", hash: expect.any(String), sections },
      { path: "docs/a.ts", hash: null, sections: [] },
      { path: "docs/gone.md", hash: null, sections: [] },
    ])
  })

  it("is abandoned with its plan unless its task was completed", async () => {
    for (const [status, expected] of Object.entries({ completed: "current", active: "abandoned" })) {
      const { hive, made, taskId, write, wrote } = await project()
      await write("docs/notes.md", BEFORE)
      await write("docs/a.ts", "x")
      await wrote("docs/notes.md", "docs/a.ts")
      if (status === "completed")
        await leaveEvidence(hive).then(() => callTool(hive, "task", { action: "complete", evidence: "done" }))
      await callTool(hive, "plan", { action: "abandon", plan_id: made.entity_id, reason: "x" })
      const ofTask = [...hive.store.read().state.artifact.values()].filter(
        ({ task_id }) => task_id === taskId,
      )
      expect(ofTask.map((each) => each.status)).toEqual([expected, "current"])
    }
  })
})

describe("anchors in validation", () => {
  it("are marked when their file changed or is gone, without a new time", async () => {
    const { dir, hive, at, write } = await project()
    await write("a.ts", "x")
    await write("b.ts", "x")
    for (const key of ["A", "B"]) {
      const related_to = [`${key.toLowerCase()}.ts`]
      await callTool(hive, "anchor", { action: "save", key, value: "x", related_to })
    }
    const before = [...hive.store.read().state.anchor.values()].map(({ updated_at }) => updated_at)
    await write("a.ts", "other")
    await rm(join(dir, "b.ts"))
    expect(await at("session start")).toEqual(
      expect.arrayContaining(["anchor A is stale: its file", "anchor B is stale: its file"]),
    )
    const after = [...hive.store.read().state.anchor.values()]
    expect(after).toMatchObject(before.map((updated_at) => ({ status: "stale", updated_at })))
    expect(await at("turn end")).toEqual([])
  })

  it("on a plan's document go stale before its change is accepted", async () => {
    const { hive, at, write, wrote } = await project()
    await callTool(hive, "anchor", { action: "save", key: "A", value: "x", related_to: ["docs/plan.md"] })
    await write("docs/plan.md", AFTER)
    await wrote("docs/plan.md")
    expect(await at("turn end")).toEqual(["anchor A is stale: its file", "docs/plan.md: accepted"])
    expect([...hive.store.read().state.anchor.values()]).toMatchObject([{ status: "stale" }])
  })
})

const HOUR_MS = 3_600_000

const at = (hours: number) => T0 + hours * HOUR_MS

function scene() {
  const g = graphOf()
  const plan = g.plan("Open")
  const phase = g.phase(plan, "Phase")
  const open = g.task(phase, "Open", { status: "planned" })
  const over = g.task(phase, "Over", { status: "completed" })
  const names = (now: number) => refreshQueue(g.state, now).map(({ title }) => title)
  return { g, plan, phase, open, over, names }
}

describe("mems to refresh", () => {
  it("are due in the last quarter of their life, at most 12 hours before its end", () => {
    const { g, names } = scene()
    g.mem("a day", { stale_at: g.at(24) })
    g.mem("ten days", { stale_at: g.at(240) })
    g.mem("never", { stale_at: null })
    expect(names(at(17))).toEqual([])
    expect(names(at(18))).toEqual(["a day"])
    expect(names(at(227))).toEqual([])
    expect(names(at(228))).toEqual(["ten days"])
  })

  it("past their time are due only for open work", () => {
    const { g, plan, phase, open, over, names } = scene()
    const stale_at = g.at(4)
    g.mem("of an open task", { stale_at, origin_task_id: open.id })
    g.mem("of a finished task", { stale_at, origin_task_id: over.id })
    g.mem("related to an open plan", { stale_at, origin_task_id: over.id, related_to: [plan.id] })
    g.mem("related to an open phase", { stale_at, related_to: [phase.id] })
    const document = g.artifact("a.md", { plan_id: plan.id })
    g.mem("of a document of an open plan", { stale_at, related_to: [document.id] })
    g.mem("of nothing", { stale_at })
    // Due only while they are knowledge in force.
    const due = { stale_at, origin_task_id: open.id }
    g.mem("failed", { ...due, kind: "false_path" })
    g.mem("undecided", { ...due, kind: "decision", resolved: false })
    g.mem("purged", { ...due, status: "purged" })
    expect(names(at(5)).sort()).toEqual([
      "of a document of an open plan",
      "of an open task",
      "related to an open phase",
      "related to an open plan",
    ])
    expect(names(at(3.5))).toContain("of nothing")
    expect(names(at(3.5))).not.toContain("of a finished task")
  })
})

describe("anchors to refresh", () => {
  it("are due 12 hours before their end, while their work is open, and at once if marked stale", () => {
    const { g, open, over, names } = scene()
    const { id } = g.anchor("A", "x", { status: "stale" })
    expect(refreshQueue(g.state, at(1))).toEqual([{ kind: "anchor", id, title: "A: x", stale_at: g.at(1) }])
    g.state.anchor.clear()
    g.anchor("OPEN", "x", { related_to: [open.id] })
    g.anchor("OVER", "x", { related_to: [over.id] })
    g.anchor("WHOLE", "x")
    g.anchor("GONE", "x", { status: "removed" })
    expect(names(at(35))).toEqual([])
    expect(names(at(36)).sort()).toEqual(["OPEN: x", "WHOLE: x"])
    expect(names(at(90)).sort()).toEqual(["OPEN: x", "WHOLE: x"])
  })
})

it("lists at most twenty, most urgent first, with short titles", () => {
  const { g, open } = scene()
  for (let n = 0; n < 40; n++)
    g.mem(`${n} ${"words ".repeat(50)}`, { stale_at: g.at(10 - n / 10), origin_task_id: open.id })
  g.anchor("LAST", "x")
  const queue = refreshQueue(g.state, at(40))
  expect(queue).toHaveLength(20)
  expect(queue.map(({ stale_at }) => stale_at)).toEqual(queue.map(({ stale_at }) => stale_at).sort())
  expect(queue[0]?.title).toMatch(/^39 words/)
  for (const { title } of queue) expect(title.length).toBeLessThanOrEqual(81)
})
