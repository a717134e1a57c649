import fs from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { hivePaths } from "../../src/store/files/layout.ts"
import { entryLine, withSum } from "../../src/store/log/line.ts"
import { segmentPath } from "../../src/store/log/segments.ts"
import type { Store } from "../../src/store/store.ts"
import { newStore, openStore as open, superseded } from "../support/open-store.ts"
import { changeUnlogged, lineOf, partFile } from "../support/parts.ts"
import { addPlan, addTask, aMem, anEntry, aPlan, aTask, by, uuid } from "../support/records.ts"
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
    const whole = fs.readFileSync(path, "utf8")
    const damaged = change(whole)
    expect(damaged).not.toBe(whole)
    fs.writeFileSync(path, damaged)
    const store = open(project)
    expect([...store.read().state.mem.values()]).toEqual([aMem(10), aMem(11)])
    expect(store.read().problems).toMatchObject([
      { level: "quarantined", code: "broken_file", file: partFile(project, "mems") },
    ])
    expect(await store.compareWithLog()).toEqual([])
    expect(await store.fold()).toMatchObject({ folded: true })
    const parts = join(project, ".hivemind/graph/parts")
    const aside = fs.readdirSync(parts).filter((name) => name.includes(".broken-"))
    expect(aside.map((name) => fs.readFileSync(join(parts, name), "utf8"))).toEqual([damaged])
    expect(fs.readFileSync(join(project, ".hivemind/graph/orphans.json"), "utf8")).toContain(
      "was changed after",
    )
    for (const each of [store, open(project)]) {
      expect(each.read().problems).toEqual([])
      expect(each.read().state.mem.size).toBe(2)
    }
  })

  it("and is mended by hand: it is picked up again, also by a running process", async () => {
    const { project } = await folded()
    const path = join(project, ".hivemind", partFile(project, "mems"))
    const whole = fs.readFileSync(path, "utf8")
    fs.writeFileSync(path, whole.slice(0, -20))
    const store = open(project)
    expect(store.read().problems).toHaveLength(1)
    fs.writeFileSync(path, whole)
    await expectMended(store, open(project))
  })

  it("keeps its readable records where the log has lost a segment", async () => {
    const { project } = await folded()
    const path = join(project, ".hivemind", partFile(project, "mems"))
    fs.writeFileSync(path, fs.readFileSync(path, "utf8").replace('"content":"Mem 10"', '"content":"Mem 10'))
    fs.rmSync(join(project, ".hivemind/graph/log/000001.jsonl"))
    expect([...open(project).read().state.mem.values()]).toEqual([aMem(11)])
  })

  it("cannot be read: it is not replaced, and nothing is decided until it can be", async () => {
    const { project } = await folded()
    const path = join(project, ".hivemind", partFile(project, "plans"))
    fs.renameSync(path, `${path}.away`)
    fs.mkdirSync(path) // Not even root can read a folder as a file.
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
    fs.rmdirSync(path)
    fs.renameSync(`${path}.away`, path)
    await expectMended(store, open(project))
    expect([...store.read().state.plan.values()]).toEqual([aPlan(1)])
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
    expect(fs.readFileSync(join(project, ".hivemind", partFile(project, "tasks")), "utf8")).toContain(
      "Task 3",
    )
    await store.write(by, addPlan)
    await store.fold()
    const { orphans } = JSON.parse(fs.readFileSync(join(project, ".hivemind/graph/orphans.json"), "utf8"))
    expect(orphans).toMatchObject([{ id: uuid(3), resolved_at: expect.any(String) }])
    for (const each of [store, open(project)]) {
      expect([...each.read().state.task.values()]).toEqual([aTask(3, 1, 2)])
      expect(each.read().problems).toEqual([])
    }
  })

  it("a dependency that is gone holds the task back instead of counting as met; other links to it are removed", async () => {
    const { project, store: first } = await folded()
    await first.write(by, (tx) => {
      tx.add("task", aTask(4, 1, 2, { depends_on: [uuid(3)] }))
      tx.add("mem", aMem(12, { origin_task_id: uuid(3), related_to: [uuid(3), uuid(10)] }))
    })
    await first.fold()
    await changeUnlogged(project, "tasks", (text) =>
      text.replace(new RegExp(`^\\{"id":"${uuid(3)}".*,\n`, "m"), ""),
    )
    const store = open(project)
    expect(store.read().state.task.get(uuid(4))?.depends_on).toEqual([uuid(3)])
    expect(store.read().state.mem.get(uuid(12))).toMatchObject({
      origin_task_id: null,
      related_to: [uuid(10)],
    })
    expect(store.read().problems).toMatchObject([4, 12, 12].map((n) => ({ level: "warning", id: uuid(n) })))
    // A broken link does not prevent other changes of the record.
    await store.write(by, (tx) => tx.set("task", uuid(4), { title: "Another title" }))
    expect(store.read().state.task.get(uuid(4))?.title).toBe("Another title")
  })
})

/** Each process reads the graph without a problem, once it had time to read the files again. */
async function expectMended(...stores: Store[]): Promise<void> {
  for (const each of stores) {
    each.read()
    await each.ready()
    expect(each.read().problems).toEqual([])
  }
}

async function folded(): Promise<{ project: string; store: Store }> {
  const project = await tempProject()
  const store = open(project)
  await store.write(by, (tx) => {
    addTask(tx)
    tx.add("mem", aMem(10))
    tx.add("mem", aMem(11))
  })
  await store.fold()
  return { project, store }
}

const badLines: Record<string, (segment: string) => void> = {
  "nested 20,000 deep": (segment) => {
    const deep = `{"id":"${uuid(900)}","ops":${"[".repeat(20_000)}${"]".repeat(20_000)}}`
    fs.appendFileSync(segment, `\n${withSum(deep, 1)}`)
  },
  "that is 80 MB long": (segment) => {
    fs.appendFileSync(segment, "\n")
    fs.truncateSync(segment, fs.statSync(segment).size + 80_000_000)
  },
  "150,000 times bad": (segment) => fs.appendFileSync(segment, "\n{bad}".repeat(150_000)),
  "with bytes that are no text": (segment) => {
    const line = Buffer.from(entryLine(anEntry(901), 1))
    line[line.indexOf("Mem")] = 0xff
    fs.appendFileSync(segment, Buffer.concat([Buffer.from("\n"), line]))
  },
}
it.each(Object.entries(badLines))("reports a line %s, and reads all lines after it", async (_, spoil) => {
  const { project, paths, store } = await written()
  spoil(segmentPath(paths.log, 1))
  await store.append(by, (tx) => tx.add("mem", aMem(2)))
  for (const each of [store, open(project)]) {
    const { state, problems } = each.read()
    expect([...state.mem.keys()]).toEqual([uuid(1), uuid(2)])
    expect(problems[0]).toMatchObject({ code: "broken_line" })
    expect(problems.length).toBeLessThanOrEqual(1000)
  }
  await store.fold()
  expect([...open(project).read().state.mem.keys()]).toEqual([uuid(1), uuid(2)])
})

it("a part that is gone while another process takes it over is written again with all that was in it", async () => {
  const { project, paths, store } = await written()
  await store.fold()
  const other = open(project)
  other.read()
  await store.append(by, (tx) => tx.add("mem", aMem(2)))
  await store.fold()
  fs.rmSync(join(paths.root, partFile(project, "mems")))
  expect(other.read().state.mem.size).toBe(2)
  await other.write(by, (tx) => tx.add("plan", aPlan(3)))
  expect(await other.fold()).toMatchObject({ folded: true })
  expect([...open(project).read().state.mem.keys()].sort()).toEqual([uuid(1), uuid(2)])
})

it("a sealed segment that cannot be read is told of by the log alone: the graph, writes and folds go on", async () => {
  const { project, paths, store } = await written()
  await store.fold()
  await store.append(by, (tx) => tx.add("mem", aMem(2)))
  const segment = segmentPath(paths.log, 1)
  fs.renameSync(segment, `${segment}.aside`)
  fs.mkdirSync(segment)
  for (const each of [store, open(project)]) {
    await each.append(by, (tx) => tx.add("mem", aMem(each === store ? 3 : 4)))
    expect(await each.fold()).toMatchObject({ folded: true })
    expect(each.read().state.mem.has(uuid(1))).toBe(true)
    await expect(each.log()).rejects.toMatchObject({ name: "HiveError", what: "Could not read the log." })
  }
})

it("an old segment that is restored under a free number changes nothing, and is reported", async () => {
  const { project, paths, store } = await written()
  await store.write(by, (tx) => tx.add("plan", aPlan(1, { title: "old" })))
  await store.fold()
  await store.write(by, (tx) => tx.set("plan", uuid(1), { title: "new" }))
  await store.fold()
  expect(fs.existsSync(segmentPath(paths.log, 3))).toBe(false)
  fs.copyFileSync(segmentPath(paths.log, 1), segmentPath(paths.log, 3))
  const again = open(project)
  await again.append(by, (tx) => tx.add("mem", aMem(2)))
  for (const each of [store, again, open(project)]) {
    const { state, problems } = each.read()
    expect(state.plan.get(uuid(1))?.title).toBe("new")
    expect(state.mem.has(uuid(2))).toBe(true)
    expect(problems[0]).toMatchObject({ code: "broken_line", file: "graph/log/000003.jsonl" })
  }
})

it("reports a damaged line of the archive, and still reads its neighbours and links to it", async () => {
  const project = await tempProject()
  const store = open(project, { leaving: superseded })
  await store.write(by, (tx) => {
    for (let n = 1; n <= 9; n++) tx.add("mem", aMem(n))
    tx.add("mem", aMem(20, { related_to: [uuid(5)] }))
  })
  await store.write(by, (tx) => {
    for (let n = 1; n <= 9; n++) tx.set("mem", uuid(n), { status: "superseded" })
  })
  await store.fold()
  await store.append(by, (tx) => tx.add("mem", aMem(30)))
  await store.fold()
  const { archive } = hivePaths(project)
  const file = join(archive, fs.readdirSync(archive)[0] ?? "")
  const text = fs.readFileSync(file, "utf8")
  fs.writeFileSync(file, text.replace("Mem 5", "Mem 6"))
  const again = open(project)
  const found = Array.from({ length: 9 }, (_, n) => again.archive.has(uuid(n + 1)))
  expect(found).toEqual([true, true, true, true, false, true, true, true, true])
  expect(again.read().problems).toContainEqual(expect.objectContaining({ code: "broken_file" }))
  expect(again.read().state.mem.get(uuid(20))?.related_to).toEqual([uuid(5)])
  expect(await again.compareWithLog()).not.toEqual([])
})

async function written() {
  const opened = await newStore()
  await opened.store.append(by, (tx) => tx.add("mem", aMem(1)))
  return opened
}
