import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { systemSource } from "../../src/shared/ids.ts"
import { openFileStore } from "../../src/store/file-store.ts"
import type { Store } from "../../src/store/store.ts"
import { aMem, aPhase, aPlan, aTask, by, uuid } from "../support/records.ts"
import { tempProject } from "../support/temp-project.ts"

describe("a person edits a snapshot while a process runs", () => {
  it("a valid edit is taken over at once, by running and by new processes", async () => {
    const { project, store } = await folded()
    edit(project, "graph/mems.json", (text) => text.replace("Mem 10", "Mem ten, in my words"))
    expect(store.read().state.mem.get(uuid(10))?.content).toBe("Mem ten, in my words")
    expect(open(project).read().state.mem.get(uuid(10))?.content).toBe("Mem ten, in my words")
    expect(store.read().problems).toEqual([])
  })

  it("the log, undo and as-of know the edit after the next fold", async () => {
    const { project, store } = await folded()
    edit(project, "graph/mems.json", (text) => text.replace("Mem 10", "Mem ten"))
    await store.fold()
    const last = store.log().at(-1)
    expect(last?.by.tool).toBe("hand edit")
    expect(last?.ops).toEqual([
      { op: "set", kind: "mem", id: uuid(10), to: { content: "Mem ten" }, was: { content: "Mem 10" } },
    ])
    expect(store.asOf(Date.now() + 1000).mem.get(uuid(10))?.content).toBe("Mem ten")
    await store.undo(last?.id ?? "", by)
    expect(open(project).read().state.mem.get(uuid(10))?.content).toBe("Mem 10")
  })

  it("a line taken out is a mem taken out; a line put in is a mem put in", async () => {
    const { project, store } = await folded()
    edit(project, "graph/mems.json", (text) =>
      text
        .replace(`${JSON.stringify(aMem(10))},\n`, "")
        .replace(`"mems":[\n`, `"mems":[\n${JSON.stringify(aMem(77))},\n`),
    )
    expect([...store.read().state.mem.keys()].sort()).toEqual([uuid(11), uuid(77)])
    await store.fold()
    expect(open(project).read().state.mem.has(uuid(77))).toBe(true)
  })

  it("an edit of one field and a write to another both count", async () => {
    const { project, store } = await folded()
    await store.write(by, (tx) => tx.set("task", uuid(3), { status: "active" }))
    edit(project, "graph/tasks.json", (text) => text.replace("Task 3", "A better title"))
    expect(store.read().state.task.get(uuid(3))).toMatchObject({ title: "A better title", status: "active" })
    await store.fold()
    expect(open(project).read().state.task.get(uuid(3))).toMatchObject({
      title: "A better title",
      status: "active",
    })
  })

  it("a reformatted file is the same graph", async () => {
    const { project, store } = await folded()
    edit(project, "graph/mems.json", (text) => JSON.stringify(JSON.parse(text), null, 4))
    expect(store.read().problems).toEqual([])
    await store.fold()
    expect([...open(project).read().state.mem.values()]).toEqual([aMem(10), aMem(11)])
  })

  it("a broken edit is quarantined, the last good state goes on, and mending it is enough", async () => {
    const { project, store } = await folded()
    const good = readFileSync(join(project, ".hivemind/graph/mems.json"), "utf8")
    edit(project, "graph/mems.json", (text) => text.replace('"content":"Mem 10"', '"content":"Mem 10'))
    for (const reader of [store, open(project)]) {
      expect([...reader.read().state.mem.values()]).toEqual(expect.arrayContaining([aMem(10), aMem(11)]))
      expect(reader.read().problems.map((problem) => problem.file)).toContain("graph/mems.json")
      expect(
        reader
          .read()
          .problems.map((problem) => problem.raw)
          .join(),
      ).toContain('"content":"Mem 10')
    }
    expect(await store.fold()).toMatchObject({
      folded: false,
      note: expect.stringContaining("graph/mems.json"),
    })
    edit(project, "graph/mems.json", () => good.replace("Mem 10", "Mem ten"))
    expect(store.read().problems).toEqual([])
    expect(store.read().state.mem.get(uuid(10))?.content).toBe("Mem ten")
  })

  it("a record that breaks a rule is quarantined alone, with the field and the rule", async () => {
    const { project, store } = await folded()
    edit(project, "graph/mems.json", (text) => text.replace('"confidence":1', '"confidence":7'))
    expect(store.read().problems).toMatchObject([
      {
        level: "quarantined",
        kind: "mem",
        id: uuid(10),
        code: "invalid_record",
        reason: expect.stringContaining("confidence"),
      },
    ])
    expect(store.read().state.mem.get(uuid(10))?.confidence).toBe(1)
  })

  it("a broken file that nobody mends is set aside whole, never overwritten", async () => {
    const { project, store } = await folded()
    edit(project, "graph/mems.json", (text) => text.replace('"content":"Mem 10"', '"content":"Mem 10'))
    const broken = readFileSync(join(project, ".hivemind/graph/mems.json"), "utf8")
    const hourAgo = Date.now() / 1000 - 3600
    utimesSync(join(project, ".hivemind/graph/mems.json"), hourAgo, hourAgo)
    expect(await store.fold()).toMatchObject({ folded: true })
    const aside = readdirSync(join(project, ".hivemind/graph")).filter((name) => name.includes(".broken-"))
    expect(aside.map((name) => readFileSync(join(project, ".hivemind/graph", name), "utf8"))).toEqual([
      broken,
    ])
    expect(readFileSync(join(project, ".hivemind/graph/orphans.json"), "utf8")).toContain("not valid JSON")
    expect([...open(project).read().state.mem.values()]).toEqual(expect.arrayContaining([aMem(10), aMem(11)]))
  })

  it("a snapshot that was deleted comes back from the log, with a word about it", async () => {
    const { project, store } = await folded()
    await store.write(by, (tx) => tx.set("task", uuid(3), { title: "Later" }))
    await store.fold()
    rmSync(join(project, ".hivemind/graph/mems.json"))
    expect([...store.read().state.mem.values()]).toEqual(expect.arrayContaining([aMem(10), aMem(11)]))
    expect(store.read().problems).toMatchObject([{ file: "graph/mems.json", code: "missing_file" }])
    await store.fold()
    expect(existsSync(join(project, ".hivemind/graph/mems.json"))).toBe(true)
    expect(store.read().problems).toEqual([])
  })

  it("both sides of a git merge conflict are kept", async () => {
    const { project, store } = await folded()
    const mine = JSON.stringify(aMem(20))
    const theirs = JSON.stringify(aMem(21))
    edit(project, "graph/mems.json", (text) =>
      text.replace(`"mems":[\n`, `"mems":[\n<<<<<<< HEAD\n${mine},\n=======\n${theirs},\n>>>>>>> other\n`),
    )
    expect([...store.read().state.mem.keys()].sort()).toEqual([uuid(10), uuid(11), uuid(20), uuid(21)])
  })
})

describe("broken chains", () => {
  it("a task whose phase is gone moves to its plan's inbox phase, and that is logged", async () => {
    const { project, store } = await folded()
    edit(project, "graph/plans.json", (text) => text.replace(/\{[^\n]*"parent_plan_id"[^\n]*\}\n/, ""))
    const inbox = [...store.read().state.phase.values()].find((phase) => phase.inbox)
    expect(store.read().state.task.get(uuid(3))?.parent_phase_id).toBe(inbox?.id)
    expect(store.read().problems).toMatchObject([{ level: "warning", code: "repaired_link" }])
    await store.write(by, (tx) => tx.set("task", uuid(3), { title: "Still here" }))
    expect(store.log().at(-2)?.by.tool).toBe("repair")
    const again = open(project).read()
    expect(again.problems).toEqual([])
    expect(again.state.task.get(uuid(3))).toMatchObject({ title: "Still here", parent_phase_id: inbox?.id })
  })

  it("a task whose plan is gone too is quarantined", async () => {
    const { project, store } = await folded()
    edit(project, "graph/plans.json", (text) =>
      JSON.stringify({ ...JSON.parse(text), plans: [], phases: [] }),
    )
    expect(store.read().state.task.size).toBe(0)
    expect(store.read().problems).toMatchObject([{ level: "quarantined", kind: "task", id: uuid(3) }])
  })

  it("a dependency that is gone holds the task back instead of counting as met", async () => {
    const { project, store } = await folded()
    await store.write(by, (tx) => tx.add("task", aTask(4, 1, 2, { depends_on: [uuid(3)] })))
    await store.fold()
    edit(project, "graph/tasks.json", (text) => text.replace(`${JSON.stringify(aTask(3, 1, 2))},\n`, ""))
    expect(store.read().state.task.get(uuid(4))?.depends_on).toEqual([uuid(3)])
    expect(store.read().problems).toMatchObject([{ level: "warning", id: uuid(4) }])
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

function open(project: string): Store {
  return openFileStore(project, { source: systemSource })
}

function edit(project: string, file: string, change: (text: string) => string): void {
  const path = join(project, ".hivemind", file)
  const before = readFileSync(path, "utf8")
  const after = change(before)
  expect(after).not.toBe(before)
  writeFileSync(path, after)
  // An editor is never so quick that size, inode and time all stay the same; a test may be.
  const { mtimeMs } = statSync(path)
  utimesSync(path, mtimeMs / 1000, mtimeMs / 1000 + 1)
}
