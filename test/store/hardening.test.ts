import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { systemSource } from "../../src/shared/ids.ts"
import { openArchive } from "../../src/store/archive.ts"
import { openFileStore } from "../../src/store/file-store.ts"
import { createLayout, hivePaths } from "../../src/store/files/layout.ts"
import type { Store } from "../../src/store/store.ts"
import { aMem, aPhase, aPlan, aTask, by, uuid } from "../support/records.ts"
import { tempProject } from "../support/temp-project.ts"

const leaving: Parameters<typeof openFileStore>[1]["leaving"] = (state) =>
  [...state.mem.values()].filter(({ status }) => status === "superseded")

describe("a fold that fails half-way", () => {
  it("never leaves a mem in neither place: first it is in the archive, then it leaves the hot set", async () => {
    const { project, paths } = await opened()
    const store = openFileStore(project, { source: systemSource, leaving })
    await store.append(by, (tx) => tx.add("mem", aMem(1)))
    await store.write(by, (tx) => tx.set("mem", uuid(1), { status: "superseded" }))
    mkdirSync(join(paths.archive, "mems.jsonl"), { recursive: true }) // Appending to a folder fails, as on a full disk.
    await expect(store.fold()).rejects.toThrow()
    expect(open(project).read().state.mem.has(uuid(1))).toBe(true)
    rmSync(paths.archive, { recursive: true })
    await open(project, leaving).fold()
    await open(project, leaving).fold()
    const there = [open(project).read().state.mem.has(uuid(1)), openArchive(paths).has(uuid(1))]
    expect(there).toEqual([false, true])
  })

  it("writes snapshots that are not there yet, also when the first fold had died", async () => {
    const { project, paths } = await opened()
    const store = open(project)
    await store.append(by, (tx) => tx.add("mem", aMem(1)))
    await store.fold()
    rmSync(join(paths.state, "anchors.json"))
    rmSync(join(paths.graph, "artifacts.json"))
    await store.append(by, (tx) => tx.add("mem", aMem(2)))
    await store.fold()
    await store.append(by, (tx) => tx.add("mem", aMem(3)))
    await store.fold()
    expect(open(project).read().problems).toEqual([])
    expect(existsSync(join(paths.state, "anchors.json"))).toBe(true)
  })
})

describe("what comes from elsewhere", () => {
  it("of two entries that follow the same one, the one that does not count is kept with a word about it", async () => {
    const { project, paths } = await opened()
    const store = open(project)
    const { entry } = await store.write(by, (tx) => tx.add("plan", aPlan(1)))
    const both = [2, 3].map((n) => ({
      id: uuid(1000 + n),
      at: entry?.at,
      by,
      after: entry?.id,
      ops: [{ op: "add", kind: "plan", record: aPlan(n) }],
    }))
    for (const each of both) appendFileSync(paths.journal, `\n${JSON.stringify(each)}`)
    for (const each of [store, open(project)]) {
      expect(each.read().problems).toMatchObject([{ id: uuid(1003), raw: expect.stringContaining("Plan 3") }])
    }
    await store.fold()
    await store.append(by, (tx) => tx.add("mem", aMem(1)))
    await store.fold()
    expect(readFileSync(paths.orphans, "utf8")).toContain("Plan 3")
  })

  it("git is told not to change line ends", async () => {
    const { paths } = await opened()
    expect(readFileSync(paths.gitattributes, "utf8")).toBe("* -text\n")
  })

  it("one unreadable part of the journal does not take the rest along", async () => {
    const { project, paths } = await opened()
    const store = open(project)
    await store.append(by, (tx) => tx.add("mem", aMem(1)))
    await store.fold()
    mkdirSync(join(paths.graph, "journal.000099.jsonl"))
    const again = open(project)
    expect(again.read().state.mem.has(uuid(1))).toBe(true)
    expect(again.read().problems).toMatchObject([{ file: "graph/journal.000099.jsonl" }])
    expect(again.log()).toHaveLength(1)
  })

  it("a running process stops writing when a newer version has upgraded the files", async () => {
    const { paths, project } = await opened()
    const store = open(project)
    await store.append(by, (tx) => tx.add("mem", aMem(1)))
    writeFileSync(paths.manifest, '{"format":99}')
    await expect(store.append(by, (tx) => tx.add("mem", aMem(2)))).rejects.toMatchObject({
      code: "newer_format",
    })
  })
})

describe("counters", () => {
  async function counted() {
    const { project, paths } = await opened()
    const store = open(project)
    await store.append(by, (tx) => tx.count("ses_1", "turns", 5))
    await store.fold()
    await store.append(by, (tx) => tx.count("ses_1", "turns", 1))
    await store.fold()
    await store.append(by, (tx) => tx.count("ses_1", "turns", 1))
    return { project, path: join(paths.state, "brain.json") }
  }
  const turns = (project: string) => open(project).read().state.metrics.get("ses_1")?.counts["turns"]

  it("are right when their file's header is damaged, or the file is gone", async () => {
    const { project, path } = await counted()
    const text = readFileSync(path, "utf8")
    writeFileSync(path, text.replace(/"segment":\d/, '"segment":7'))
    expect(turns(project)).toBe(7)
    rmSync(path)
    expect(turns(project)).toBe(7)
    await open(project).fold()
    await open(project).append(by, (tx) => tx.count("ses_1", "turns", 1))
    await open(project).fold()
    expect(turns(project)).toBe(8)
  })

  it("refuse what no reader would accept, and lose nothing beside it", async () => {
    const { project } = await opened()
    const store = open(project)
    for (const [name, value] of [
      ["", 1],
      ["x", Number.NaN],
      ["constructor", 1],
      ["__proto__", 1],
    ] as const) {
      const append = store.append(by, (tx) => {
        tx.add("mem", aMem(1))
        tx.count("ses_1", name, value)
      })
      await expect(append).rejects.toMatchObject({ code: "invalid_record" })
    }
    const tool = "x".repeat(101)
    await expect(store.write({ ...by, tool }, (tx) => tx.add("plan", aPlan(1)))).rejects.toMatchObject({
      code: "invalid_record",
    })
    expect(store.log()).toEqual([])
  })
})

describe("repairs and undo", () => {
  it("a repair is written once, and does not undo what is done later", async () => {
    const { project, paths } = await opened()
    const store = open(project)
    await store.write(by, (tx) => {
      tx.add("plan", aPlan(1))
      tx.add("phase", aPhase(2, 1))
      tx.add("phase", aPhase(5, 1))
      tx.add("task", aTask(3, 1, 2))
    })
    await store.fold()
    const plans = join(paths.graph, "plans.json")
    writeFileSync(plans, readFileSync(plans, "utf8").replace(`${JSON.stringify(aPhase(2, 1))},\n`, ""))
    await store.write(by, (tx) => tx.set("task", uuid(3), { parent_phase_id: uuid(5) }))
    await store.append(by, (tx) => tx.add("mem", aMem(1)))
    await store.write(by, (tx) => tx.add("plan", aPlan(9)))
    expect(store.read().state.task.get(uuid(3))?.parent_phase_id).toBe(uuid(5))
    expect(store.log().filter((entry) => entry.by.tool === "repair")).toHaveLength(1)
  })

  it("of two who undo the same entry at once, one is told", async () => {
    const { project } = await opened()
    const [a, b] = [open(project), open(project)]
    const { entry } = await a.append(by, (tx) => tx.add("mem", aMem(1)))
    const results = await Promise.allSettled([a.undo(entry?.id ?? "", by), b.undo(entry?.id ?? "", by)])
    expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"])
    expect(open(project).read().state.mem.size).toBe(0)
  })

  it("undoes a change that was written with spaces around it, and one of thousands", async () => {
    const { project } = await opened()
    const store = open(project)
    await store.write(by, (tx) => tx.add("plan", aPlan(1)))
    const { entry } = await store.write(by, (tx) => tx.set("plan", uuid(1), { title: "  Spaced  " }))
    await store.undo(entry?.id ?? "", by)
    expect(store.read().state.plan.get(uuid(1))?.title).toBe("Plan 1")
    const many = await store.append(by, (tx) => {
      for (let n = 0; n < 3000; n++) tx.add("mem", aMem(100 + n))
    })
    await store.undo(many.entry?.id ?? "", by)
    expect(store.read().state.mem.size).toBe(0)
    await store.close()
  })
})

describe("rules that reach beyond one record", () => {
  const refused: [string, string, Parameters<Store["write"]>[1]][] = [
    [
      "a gate on itself",
      "cycle",
      (tx) => tx.set("task", uuid(3), { temporal_gate: { after_task_id: uuid(3), reason: "r" } }),
    ],
    [
      "a gate against a dependency",
      "cycle",
      (tx) => {
        tx.add("task", aTask(4, 1, 2, { depends_on: [uuid(3)] }))
        tx.set("task", uuid(3), { temporal_gate: { after_task_id: uuid(4), reason: "r" } })
      },
    ],
    [
      "a phase that leaves its tasks",
      "orphan",
      (tx) => {
        tx.add("plan", aPlan(8))
        tx.set("phase", uuid(2), { parent_plan_id: uuid(8) })
      },
    ],
    [
      "a parent task of another plan",
      "orphan",
      (tx) => {
        tx.add("plan", aPlan(8))
        tx.add("phase", aPhase(9, 8))
        tx.add("task", aTask(10, 8, 9, { parent_task_id: uuid(3), type: "sub" }))
      },
    ],
  ]
  for (const [what, code, build] of refused) {
    it(`refuses ${what}`, async () => {
      const { project } = await opened()
      const store = open(project)
      await store.write(by, (tx) => {
        tx.add("plan", aPlan(1))
        tx.add("phase", aPhase(2, 1))
        tx.add("task", aTask(3, 1, 2))
      })
      await expect(store.write(by, build)).rejects.toMatchObject({ code })
    })
  }

  it("a link that was lost before does not keep a record from changing otherwise", async () => {
    const { project, paths } = await opened()
    const store = open(project)
    await store.write(by, (tx) => {
      tx.add("plan", aPlan(1))
      tx.add("phase", aPhase(2, 1))
      tx.add("mem", aMem(7, { kind: "decision", resolved: true }))
      tx.add("task", aTask(3, 1, 2, { decisions: [uuid(7)] }))
    })
    await store.fold()
    const mems = join(paths.graph, "mems.json")
    writeFileSync(
      mems,
      readFileSync(mems, "utf8").replace(JSON.stringify(aMem(7, { kind: "decision", resolved: true })), ""),
    )
    await store.write(by, (tx) => tx.set("task", uuid(3), { status: "active" }))
    expect(store.read().state.task.get(uuid(3))?.status).toBe("active")
  })

  it("a running process and a new one see the same after a parent came back", async () => {
    const { project, paths } = await opened()
    const store = open(project)
    await store.write(by, (tx) => {
      tx.add("plan", aPlan(1))
      tx.add("phase", aPhase(2, 1))
      tx.add("task", aTask(3, 1, 2))
    })
    await store.fold()
    const plans = join(paths.graph, "plans.json")
    const whole = readFileSync(plans, "utf8")
    writeFileSync(plans, JSON.stringify({ ...JSON.parse(whole), plans: [], phases: [] }))
    expect(store.read().state.task.size).toBe(0)
    await store.append(by, (tx) => tx.add("mem", aMem(1)))
    writeFileSync(plans, whole)
    for (const each of [store, open(project)]) expect(each.read().state.task.size).toBe(1)
    expect(readdirSync(paths.graph)).toContain("plans.json")
  })
})

async function opened() {
  const project = await tempProject()
  await createLayout(project)
  return { project, paths: hivePaths(project) }
}

function open(project: string, leaves?: typeof leaving): Store {
  return openFileStore(project, { source: systemSource, ...(leaves && { leaving: leaves }) })
}
