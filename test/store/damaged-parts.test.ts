import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import type { Store } from "../../src/store/store.ts"
import { openStore as open } from "../support/open-store.ts"
import { changeUnlogged, lineOf, partFile } from "../support/parts.ts"
import { aMem, aPhase, aPlan, aTask, by, uuid } from "../support/records.ts"
import { tempProject } from "../support/temp-project.ts"

describe("a part that is not as it was written", () => {
  const changes: [string, (text: string) => string][] = [
    ["a torn line", (text) => text.replace('"content":"Mem 10"', '"content":"Mem 10')],
    ["another word in a text", (text) => text.replace("Mem 10", "Mem ten")],
    ["a value that breaks a rule", (text) => text.replace('"confidence":1', '"confidence":7')],
    ["a line less", (text) => text.replace(lineOf(text, uuid(10)), "")],
    ["a line more", (text) => text.replace(`"mems":[\n`, `"mems":[\n${JSON.stringify(aMem(77))},\n`)],
    ["nothing in it", () => ""],
  ]
  it.each(changes)("with %s: its records come from the log, and a fold sets it aside", async (_, change) => {
    const { project } = await folded()
    const path = join(project, ".hivemind", partFile(project, "mems"))
    const whole = readFileSync(path, "utf8")
    const damaged = change(whole)
    expect(damaged).not.toBe(whole)
    writeFileSync(path, damaged)
    const store = open(project)
    expect([...store.read().state.mem.values()]).toEqual([aMem(10), aMem(11)])
    expect(store.read().problems).toMatchObject([
      { level: "quarantined", code: "broken_file", file: partFile(project, "mems") },
    ])
    expect(await store.compareWithLog()).toEqual([])
    expect(await store.fold()).toMatchObject({ folded: true })
    const parts = join(project, ".hivemind/graph/parts")
    const aside = readdirSync(parts).filter((name) => name.includes(".broken-"))
    expect(aside.map((name) => readFileSync(join(parts, name), "utf8"))).toEqual([damaged])
    expect(readFileSync(join(project, ".hivemind/graph/orphans.json"), "utf8")).toContain("was changed since")
    for (const each of [store, open(project)]) {
      expect(each.read().problems).toEqual([])
      expect(each.read().state.mem.size).toBe(2)
    }
  })

  it("and is mended by hand: it is picked up again, also by a running process", async () => {
    const { project } = await folded()
    const path = join(project, ".hivemind", partFile(project, "mems"))
    const whole = readFileSync(path, "utf8")
    writeFileSync(path, whole.slice(0, -20))
    const store = open(project)
    expect(store.read().problems).toHaveLength(1)
    writeFileSync(path, whole)
    for (const each of [store, open(project)]) {
      each.read()
      await each.ready()
      expect(each.read().problems).toEqual([])
    }
  })

  it("keeps its readable records where the log has lost a segment", async () => {
    const { project } = await folded()
    const path = join(project, ".hivemind", partFile(project, "mems"))
    writeFileSync(path, readFileSync(path, "utf8").replace('"content":"Mem 10"', '"content":"Mem 10'))
    rmSync(join(project, ".hivemind/graph/log/000001.jsonl"))
    expect([...open(project).read().state.mem.values()]).toEqual([aMem(11)])
  })

  it("was deleted: it comes back from the log, and is reported", async () => {
    const { project, store: first } = await folded()
    await first.write(by, (tx) => tx.set("task", uuid(3), { title: "Later" }))
    await first.fold()
    const deleted = partFile(project, "mems")
    rmSync(join(project, ".hivemind", deleted))
    const store = open(project)
    expect([...store.read().state.mem.values()]).toEqual([aMem(10), aMem(11)])
    expect(store.read().problems).toMatchObject([{ file: deleted, code: "missing_file" }])
    await store.fold()
    expect(existsSync(join(project, ".hivemind", partFile(project, "mems")))).toBe(true)
    for (const each of [store, open(project)]) {
      expect(each.read().problems).toEqual([])
      expect(each.read().state.mem.size).toBe(2)
    }
  })

  it("cannot be read: it is not replaced, and nothing is decided until it can be", async () => {
    const { project } = await folded()
    const path = join(project, ".hivemind", partFile(project, "plans"))
    renameSync(path, `${path}.away`)
    mkdirSync(path) // A folder cannot be read as a file, by no user.
    const store = open(project)
    expect(store.read().problems).toMatchObject([
      { code: "unreadable", file: partFile(project, "plans"), level: "quarantined" },
    ])
    expect(store.read().state.task.size).toBe(1)
    await store.append(by, (tx) => tx.add("mem", aMem(12)))
    expect(await store.fold()).toMatchObject({
      folded: false,
      note: expect.stringContaining("cannot be read"),
    })
    rmdirSync(path)
    renameSync(`${path}.away`, path)
    for (const each of [store, open(project)]) {
      each.read()
      await each.ready()
      expect(each.read().problems).toEqual([])
      expect([...each.read().state.plan.values()]).toEqual([aPlan(1)])
    }
    expect(await store.fold()).toMatchObject({ folded: true })
    expect([...open(project).read().state.plan.values()]).toEqual([aPlan(1)])
    expect((await store.log()).map((entry) => entry.by.tool)).toEqual(["test", "test"])
  })
})

describe("broken chains", () => {
  const withoutPhase = (text: string) => text.replace(/\{[^\n]*"parent_plan_id"[^\n]*\}\n/, "")

  it("a task whose phase is gone moves to its plan's inbox phase, and that is logged once", async () => {
    const { project } = await folded()
    await changeUnlogged(project, "phases", withoutPhase)
    const store = open(project)
    const inbox = [...store.read().state.phase.values()].find((phase) => phase.inbox)
    expect(store.read().state.task.get(uuid(3))?.parent_phase_id).toBe(inbox?.id)
    expect(store.read().problems).toMatchObject([{ level: "warning", code: "repaired_link" }])
    await store.write(by, (tx) => tx.set("task", uuid(3), { title: "Still here" }))
    await store.write(by, (tx) => tx.add("plan", aPlan(9)))
    expect((await store.log()).map((entry) => entry.by.tool)).toEqual(["test", "repair", "test", "test"])
    const again = open(project).read()
    expect(again.problems).toEqual([])
    expect(again.state.task.get(uuid(3))).toMatchObject({ title: "Still here", parent_phase_id: inbox?.id })
  })

  it("a task whose plan is gone too is quarantined, stays in its file, and comes back with its plan", async () => {
    const { project } = await folded()
    await changeUnlogged(project, "plans", () => JSON.stringify({ plans: [] }))
    await changeUnlogged(project, "phases", () => JSON.stringify({ phases: [] }))
    const store = open(project)
    expect(store.read().state.task.size).toBe(0)
    expect(store.read().problems).toMatchObject([{ level: "quarantined", kind: "task", id: uuid(3) }])
    for (let n = 20; n < 23; n++) {
      await store.append(by, (tx) => tx.add("mem", aMem(n)))
      await store.fold()
    }
    expect(open(project).read().problems).toMatchObject([{ level: "quarantined", kind: "task" }])
    expect(readFileSync(join(project, ".hivemind", partFile(project, "tasks")), "utf8")).toContain("Task 3")
    await store.write(by, (tx) => {
      tx.add("plan", aPlan(1))
      tx.add("phase", aPhase(2, 1))
    })
    for (const each of [store, open(project)]) {
      expect([...each.read().state.task.values()]).toEqual([aTask(3, 1, 2)])
      expect(each.read().problems).toEqual([])
    }
  })

  it("a dependency that is gone holds the task back instead of counting as met", async () => {
    const { project, store: first } = await folded()
    await first.write(by, (tx) => tx.add("task", aTask(4, 1, 2, { depends_on: [uuid(3)] })))
    await first.fold()
    await changeUnlogged(project, "tasks", (text) =>
      text.replace(new RegExp(`^\\{"id":"${uuid(3)}".*,\n`, "m"), ""),
    )
    const store = open(project)
    expect(store.read().state.task.get(uuid(4))?.depends_on).toEqual([uuid(3)])
    expect(store.read().problems).toMatchObject([{ level: "warning", id: uuid(4) }])
    // A link that is lost does not keep a record from changing otherwise.
    await store.write(by, (tx) => tx.set("task", uuid(4), { title: "Another title" }))
    expect(store.read().state.task.get(uuid(4))?.title).toBe("Another title")
  })
})

async function folded(): Promise<{ project: string; store: Store }> {
  const project = await tempProject()
  const store = open(project)
  await store.write(by, (tx) => {
    tx.add("plan", aPlan(1))
    tx.add("phase", aPhase(2, 1))
    tx.add("task", aTask(3, 1, 2))
    tx.add("mem", aMem(10))
    tx.add("mem", aMem(11))
  })
  await store.fold()
  return { project, store }
}
