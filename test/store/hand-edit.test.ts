import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import type { Store } from "../../src/store/store.ts"
import { openStore as open } from "../support/open-store.ts"
import { lineOf, partFile } from "../support/parts.ts"
import { aMem, aPhase, aPlan, aTask, by, uuid } from "../support/records.ts"
import { tempProject } from "../support/temp-project.ts"

describe("a person edits a file of the graph while a process runs", () => {
  it("a valid edit is taken over at once, by running and by new processes", async () => {
    const { project, store } = await folded()
    edit(project, "mems", (text) => text.replace("Mem 10", "Mem ten, in my words"))
    expect(store.read().state.mem.get(uuid(10))?.content).toBe("Mem ten, in my words")
    expect(open(project).read().state.mem.get(uuid(10))?.content).toBe("Mem ten, in my words")
    expect(store.read().problems).toEqual([])
  })

  it("the log, undo and as-of know the edit after the next fold", async () => {
    const { project, store } = await folded()
    edit(project, "mems", (text) => text.replace("Mem 10", "Mem ten"))
    await store.fold()
    const last = (await store.log()).at(-1)
    expect(last?.by.tool).toBe("hand edit")
    expect(last?.ops).toEqual([
      { op: "set", kind: "mem", id: uuid(10), to: { content: "Mem ten" }, was: { content: "Mem 10" } },
    ])
    expect((await store.asOf(Date.now() + 1000)).mem.get(uuid(10))?.content).toBe("Mem ten")
    await store.undo(last?.id ?? "", by)
    expect(open(project).read().state.mem.get(uuid(10))?.content).toBe("Mem 10")
  })

  it("a line taken out is a mem taken out; a line put in is a mem put in", async () => {
    const { project, store } = await folded()
    edit(project, "mems", (text) =>
      text
        .replace(lineOf(text, uuid(10)), "")
        .replace(`"mems":[\n`, `"mems":[\n${JSON.stringify(aMem(77))},\n`),
    )
    expect([...store.read().state.mem.keys()].sort()).toEqual([uuid(11), uuid(77)])
    await store.fold()
    expect(open(project).read().state.mem.has(uuid(77))).toBe(true)
  })

  it("an edit of one field and a write to another both count", async () => {
    const { project, store } = await folded()
    await store.write(by, (tx) => tx.set("task", uuid(3), { status: "active" }))
    edit(project, "tasks", (text) => text.replace("Task 3", "A better title"))
    expect(store.read().state.task.get(uuid(3))).toMatchObject({ title: "A better title", status: "active" })
    await store.fold()
    expect(open(project).read().state.task.get(uuid(3))).toMatchObject({
      title: "A better title",
      status: "active",
    })
  })

  it("a reformatted file is the same graph", async () => {
    const { project, store } = await folded()
    edit(project, "mems", (text) => JSON.stringify(JSON.parse(text), null, 4))
    expect(store.read().problems).toEqual([])
    await store.fold()
    expect([...open(project).read().state.mem.values()]).toEqual([aMem(10), aMem(11)])
  })

  it("a broken edit is quarantined, the last good state goes on, and mending it is enough", async () => {
    const { project, store } = await folded()
    const good = readFileSync(join(project, ".hivemind", partFile(project, "mems")), "utf8")
    edit(project, "mems", (text) => text.replace('"content":"Mem 10"', '"content":"Mem 10'))
    for (const reader of [store, open(project)]) {
      expect([...reader.read().state.mem.values()]).toEqual(expect.arrayContaining([aMem(10), aMem(11)]))
      expect(reader.read().problems.map((problem) => problem.file)).toContain(partFile(project, "mems"))
      expect(
        reader
          .read()
          .problems.map((problem) => problem.raw)
          .join(),
      ).toContain('"content":"Mem 10')
    }
    expect(await store.fold()).toMatchObject({
      folded: false,
      note: expect.stringContaining(partFile(project, "mems")),
    })
    edit(project, "mems", () => good.replace("Mem 10", "Mem ten"))
    expect(store.read().problems).toEqual([])
    expect(store.read().state.mem.get(uuid(10))?.content).toBe("Mem ten")
  })

  it("a record that breaks a rule is quarantined alone, with the field and the rule", async () => {
    const { project, store } = await folded()
    edit(project, "mems", (text) => text.replace('"confidence":1', '"confidence":7'))
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

  it("a broken file that is not mended is set aside whole, never overwritten", async () => {
    const { project, store } = await folded()
    edit(project, "mems", (text) => text.replace('"content":"Mem 10"', '"content":"Mem 10'))
    const broken = readFileSync(join(project, ".hivemind", partFile(project, "mems")), "utf8")
    const hourAgo = Date.now() / 1000 - 3600
    utimesSync(join(project, ".hivemind", partFile(project, "mems")), hourAgo, hourAgo)
    expect(await store.fold()).toMatchObject({ folded: true })
    const parts = join(project, ".hivemind/graph/parts")
    const aside = readdirSync(parts).filter((name) => name.includes(".broken-"))
    expect(aside.map((name) => readFileSync(join(parts, name), "utf8"))).toEqual([broken])
    expect(store.read().problems).toEqual([])
    expect(readFileSync(join(project, ".hivemind/graph/orphans.json"), "utf8")).toContain("not valid JSON")
    expect([...open(project).read().state.mem.values()]).toEqual(expect.arrayContaining([aMem(10), aMem(11)]))
  })

  it("a file that was deleted comes back from the log, with a word about it", async () => {
    const { project, store } = await folded()
    await store.write(by, (tx) => tx.set("task", uuid(3), { title: "Later" }))
    await store.fold()
    const deleted = partFile(project, "mems")
    rmSync(join(project, ".hivemind", deleted))
    for (const reader of [store, open(project)]) {
      expect([...reader.read().state.mem.values()]).toEqual([aMem(10), aMem(11)])
      expect(reader.read().problems).toMatchObject([{ file: deleted, code: "missing_file" }])
    }
    await store.fold()
    expect(existsSync(join(project, ".hivemind", partFile(project, "mems")))).toBe(true)
    for (const reader of [store, open(project)]) {
      expect(reader.read().problems).toEqual([])
      expect(reader.read().state.mem.size).toBe(2)
    }
  })

  it("an edit that two processes see is in the log once, and does not come back over what is written later", async () => {
    const { project, store } = await folded()
    const other = open(project)
    other.read()
    edit(project, "tasks", (text) => text.replace("Task 3", "By hand"))
    for (const each of [store, other]) expect(each.read().state.task.get(uuid(3))?.title).toBe("By hand")
    await store.write(by, (tx) => tx.set("task", uuid(3), { title: "By a program" }))
    const late = open(project)
    for (const [n, each] of [other, late].entries()) {
      expect(each.read().state.task.get(uuid(3))?.title).toBe("By a program")
      await each.write(by, (tx) => tx.add("plan", aPlan(50 + n)))
    }
    await store.fold()
    for (const each of [store, other, late, open(project)])
      expect(each.read().state.task.get(uuid(3))?.title).toBe("By a program")
    expect((await store.log()).filter((entry) => entry.by.tool === "hand edit")).toHaveLength(1)
  })

  it("a second edit of the same file counts, also for a process that has seen neither", async () => {
    const { project, store } = await folded()
    const other = open(project)
    other.read()
    edit(project, "mems", (text) => text.replace("Mem 10", "One"))
    await store.write(by, (tx) => tx.add("plan", aPlan(50)))
    edit(project, "mems", (text) => text.replace("One", "Two"))
    for (const each of [other, store, open(project)])
      expect(each.read().state.mem.get(uuid(10))?.content).toBe("Two")
    await other.fold()
    expect(open(project).read().state.mem.get(uuid(10))?.content).toBe("Two")
  })

  it("an edit of a file that another process has folded since is taken over by one that only reads", async () => {
    const { project, store } = await folded()
    const reader = open(project)
    reader.read()
    for (const content of ["First", "Second", "Third"]) {
      await store.write(by, (tx) => tx.set("mem", uuid(10), { content }))
      await store.fold()
    }
    edit(project, "mems", (text) => text.replace("Third", "By hand"))
    expect(reader.read().state.mem.get(uuid(10))?.content).toBe("By hand")
    expect(reader.read().problems).toEqual([])
  })

  it("a file that cannot be read is not replaced, and nothing is decided until it can be", async () => {
    const { project, store } = await folded()
    const path = join(project, ".hivemind", partFile(project, "plans"))
    renameSync(path, `${path}.away`)
    mkdirSync(path) // A folder cannot be read as a file, by no user.
    const blind = open(project)
    for (const each of [blind, store])
      expect(each.read().problems).toMatchObject([
        { code: "unreadable", file: partFile(project, "plans"), level: "quarantined" },
      ])
    expect(blind.read().state.task.size).toBe(1)
    await blind.append(by, (tx) => tx.add("mem", aMem(12)))
    expect(await blind.fold()).toMatchObject({
      folded: false,
      note: expect.stringContaining("cannot be read"),
    })
    rmdirSync(path)
    renameSync(`${path}.away`, path)
    for (const each of [blind, store, open(project)]) {
      each.read()
      await each.ready()
      expect(each.read().problems).toEqual([])
      expect([...each.read().state.plan.values()]).toEqual([aPlan(1)])
    }
    expect(await blind.fold()).toMatchObject({ folded: true })
    expect([...open(project).read().state.plan.values()]).toEqual([aPlan(1)])
    expect((await blind.log()).map((entry) => entry.by.tool)).toEqual(["test", "test"])
  })

  it("both sides of a git merge conflict are kept", async () => {
    const { project, store } = await folded()
    const mine = JSON.stringify(aMem(20))
    const theirs = JSON.stringify(aMem(21))
    edit(project, "mems", (text) =>
      text.replace(`"mems":[\n`, `"mems":[\n<<<<<<< HEAD\n${mine},\n=======\n${theirs},\n>>>>>>> other\n`),
    )
    expect([...store.read().state.mem.keys()].sort()).toEqual([uuid(10), uuid(11), uuid(20), uuid(21)])
  })
})

describe("broken chains", () => {
  it("a task whose phase is gone moves to its plan's inbox phase, and that is logged", async () => {
    const { project, store } = await folded()
    edit(project, "phases", (text) => text.replace(/\{[^\n]*"parent_plan_id"[^\n]*\}\n/, ""))
    const inbox = [...store.read().state.phase.values()].find((phase) => phase.inbox)
    expect(store.read().state.task.get(uuid(3))?.parent_phase_id).toBe(inbox?.id)
    expect(store.read().problems).toMatchObject([{ level: "warning", code: "repaired_link" }])
    await store.write(by, (tx) => tx.set("task", uuid(3), { title: "Still here" }))
    expect((await store.log()).at(-2)?.by.tool).toBe("repair")
    const again = open(project).read()
    expect(again.problems).toEqual([])
    expect(again.state.task.get(uuid(3))).toMatchObject({ title: "Still here", parent_phase_id: inbox?.id })
  })

  it("a task whose plan is gone too is quarantined", async () => {
    const { project, store } = await folded()
    edit(project, "plans", () => JSON.stringify({ plans: [] }))
    edit(project, "phases", () => JSON.stringify({ phases: [] }))
    expect(store.read().state.task.size).toBe(0)
    expect(store.read().problems).toMatchObject([{ level: "quarantined", kind: "task", id: uuid(3) }])
  })

  it("what is quarantined stays in its file, through folds, and comes back with what it points at", async () => {
    const { project, store } = await folded()
    edit(project, "plans", () => JSON.stringify({ plans: [] }))
    edit(project, "phases", () => JSON.stringify({ phases: [] }))
    expect(store.read().state.task.size).toBe(0)
    for (let n = 20; n < 23; n++) {
      await store.append(by, (tx) => tx.add("mem", aMem(n)))
      await store.fold()
    }
    const edited = (await store.log()).find((entry) => entry.by.tool === "hand edit")
    expect(open(project).read().problems).toMatchObject([{ level: "quarantined", kind: "task" }])
    expect(readFileSync(join(project, ".hivemind", partFile(project, "tasks")), "utf8")).toContain("Task 3")
    await store.undo(edited?.id ?? "", by)
    for (const each of [store, open(project)]) {
      expect([...each.read().state.task.values()]).toEqual([aTask(3, 1, 2)])
      expect(each.read().problems).toEqual([])
    }
  })

  it("a dependency that is gone holds the task back instead of counting as met", async () => {
    const { project, store } = await folded()
    await store.write(by, (tx) => tx.add("task", aTask(4, 1, 2, { depends_on: [uuid(3)] })))
    await store.fold()
    edit(project, "tasks", (text) => text.replace(new RegExp(`^\\{"id":"${uuid(3)}".*,\n`, "m"), ""))
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

function edit(project: string, section: string, change: (text: string) => string): void {
  const path = join(project, ".hivemind", partFile(project, section))
  const before = readFileSync(path, "utf8")
  const after = change(before)
  expect(after).not.toBe(before)
  writeFileSync(path, after)
  // An editor is never so quick that size, inode and time all stay the same; a test may be.
  const { mtimeMs } = statSync(path)
  utimesSync(path, mtimeMs / 1000, mtimeMs / 1000 + 1)
}
