import { describe, expect, it } from "vitest"
import { compactionsOf, isCompaction } from "../../src/graph/metrics.ts"
import type { Source } from "../../src/shared/ids.ts"
import { openFileStore } from "../../src/store/file-store.ts"
import type { LogPart, Store } from "../../src/store/store.ts"
import { openMemoryStore } from "../support/memory-store.ts"
import {
  aCheckpoint,
  addTask,
  aMem,
  anAnchor,
  aPhase,
  aPlan,
  aTask,
  by,
  countingSource,
  T0,
  uuid,
} from "../support/records.ts"
import { tempProject } from "../support/temp-project.ts"

const stores: Record<string, (source: Source) => Promise<Store>> = {
  "memory store": async (source) => openMemoryStore(source),
  "file store": async (source) => openFileStore(await tempProject(), { source }),
  "file store, folded after every write": async (source) => {
    const store = openFileStore(await tempProject(), { source })
    const folding =
      (write: Store["write"]): Store["write"] =>
      (author, build) =>
        write(author, build).finally(() => store.fold())
    return { ...store, write: folding(store.write), append: folding(store.append) }
  },
}

type Build = Parameters<Store["write"]>[1]
const COMPLETED = { status: "completed" } as const
const planOf = (n: number) => ({ parent_plan_id: uuid(n) })
const child = (n: number, plan: number, phase: number) =>
  aTask(n, plan, phase, { parent_task_id: uuid(3), type: "sub" })

for (const [name, open] of Object.entries(stores)) {
  describe(name, () => {
    const openStore = (source: Source = countingSource()) => open(source)

    async function planned(source?: Source): Promise<Store> {
      const store = await openStore(source)
      await store.write(by, addTask)
      return store
    }

    it("the log filtered by tool has only entries of that tool, not those that mention it", async () => {
      const store = await openStore()
      const tools = ['say "x" 1', "other", 'say "x" 2']
      const ids: string[] = []
      for (const [n, tool] of tools.entries()) {
        const content = `${JSON.stringify({ tool: 'say "x" 3' })} is what it says`
        const { entry } = await store.append({ ...by, tool }, (tx) =>
          tx.add("mem", aMem(100 + n, { content })),
        )
        ids.push(entry?.id ?? "")
      }
      const found = async (part: LogPart) => (await store.log(part)).map(({ id }) => id)
      expect(await found({ tool: 'say "x" ' })).toEqual([ids[0], ids[2]])
      expect(await found({ tool: 'say "x" ', limit: 1 })).toEqual([ids[2]])
      expect(await found({ tool: "say", after: ids[1] ?? "" })).toEqual([ids[2]])
      expect(await found({ tool: "nobody" })).toEqual([])
      expect(await found({ besides: ['say "x" 1', "nobody"] })).toEqual(ids.slice(1))
      expect(await found({ kinds: ["mem"], limit: 2 })).toEqual(ids.slice(-2))
      expect(await found({ kinds: ["plan", "anchor"] })).toEqual([])
    })

    it("shows what was written, and returns the entry and what the transaction returned", async () => {
      const store = await planned()
      expect(store.read().state.task.get(uuid(3))).toEqual(aTask(3, 1, 2))
      const { result, entry } = await store.write(by, (tx) => {
        tx.set("task", uuid(3), { status: "active" })
        return tx.need("task", uuid(3)).status
      })
      expect(result).toBe("active")
      expect(entry?.ops).toEqual([
        { op: "set", kind: "task", id: uuid(3), to: { status: "active" }, was: { status: "planned" } },
      ])
    })

    it("writes no entry for a transaction that changes nothing", async () => {
      const store = await planned()
      const { entry } = await store.write(by, (tx) => tx.set("task", uuid(3), { status: "planned" }))
      expect(entry).toBeNull()
      expect(await store.log()).toHaveLength(1)
    })

    it("writes nothing of a transaction that breaks a rule half-way", async () => {
      const store = await planned()
      const write = store.write(by, (tx) => {
        tx.add("mem", aMem(10))
        tx.add("mem", aMem(11, { origin_task_id: uuid(99) }))
      })
      await expect(write).rejects.toMatchObject({
        code: "orphan",
        evidence: `mem.origin_task_id = ${uuid(99)}`,
      })
      expect(store.read().state.mem.size).toBe(0)
      expect(await store.log()).toHaveLength(1)
    })

    const otherPlan: Build = (tx) => {
      tx.add("plan", aPlan(8))
      tx.add("phase", aPhase(9, 8))
    }
    const afterTask = (n: number) => ({ temporal_gate: { after_task_id: uuid(n), reason: "r" } })
    const dependent: Build = (tx) => tx.add("task", aTask(10, 1, 2, { depends_on: [uuid(3)] }))
    const refusals: [string, string, ...Build[]][] = [
      ["an unknown field", "invalid_record", (tx) => tx.add("mem", { ...aMem(10), colour: "red" } as never)],
      ["an empty title", "invalid_record", (tx) => tx.add("plan", aPlan(10, { title: " " }))],
      ["an id that is no UUID", "invalid_record", (tx) => tx.add("plan", aPlan(10, { id: "plan-10" }))],
      ["a phase without a plan", "orphan", (tx) => tx.add("phase", aPhase(10, 99))],
      ["a task in a phase of another plan", "orphan", otherPlan, (tx) => tx.add("task", aTask(11, 8, 2))],
      ["a parent task of another plan", "orphan", otherPlan, (tx) => tx.add("task", child(10, 8, 9))],
      ["a phase that leaves its tasks", "orphan", otherPlan, (tx) => tx.set("phase", uuid(2), planOf(8))],
      ["a checkpoint without a task", "orphan", (tx) => tx.add("checkpoint", aCheckpoint(10, 99))],
      ["a task that is born done", "lifecycle", (tx) => tx.add("task", aTask(10, 1, 2, COMPLETED))],
      ["a step that skips the work", "lifecycle", (tx) => tx.set("task", uuid(3), COMPLETED)],
      ["a task that depends on itself", "cycle", (tx) => tx.set("task", uuid(3), { depends_on: [uuid(3)] })],
      ["a circle of tasks", "cycle", dependent, (tx) => tx.set("task", uuid(3), { depends_on: [uuid(10)] })],
      ["a gate on itself", "cycle", (tx) => tx.set("task", uuid(3), afterTask(3))],
      ["a gate against a dependency", "cycle", dependent, (tx) => tx.set("task", uuid(3), afterTask(10))],
      [
        "a circle of parents",
        "cycle",
        (tx) => tx.add("task", child(10, 1, 2)),
        (tx) => tx.set("task", uuid(3), { parent_task_id: uuid(10) }),
      ],
      ["an id that is taken", "duplicate", (tx) => tx.add("plan", aPlan(1))],
      [
        "a second anchor with the same key",
        "duplicate",
        (tx) => tx.add("anchor", anAnchor(10, { key: "DB" })),
        (tx) => tx.add("anchor", anAnchor(11, { key: "DB" })),
      ],
      ["a change of what is not there", "not_found", (tx) => tx.set("task", uuid(99), { title: "x" })],
      ["taking away what others point at", "in_use", (tx) => tx.drop("plan", uuid(1))],
    ]
    it.each(refusals)("refuses %s, naming field and rule", async (_, code, ...builds) => {
      const store = await planned()
      const writing = store.write(by, (tx) => {
        for (const build of builds) build(tx)
      })
      const error = await writing.catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({
        ...{ name: "HiveError", code },
        ...{ use_instead: expect.stringMatching(/\w/), evidence: expect.stringMatching(/\w/) },
      })
      expect(await store.log()).toHaveLength(1)
    })

    it("writes only mems, checkpoints and counters without the lock", async () => {
      const store = await planned()
      await store.append(by, (tx) => {
        tx.add("mem", aMem(10, { origin_task_id: uuid(3) }))
        tx.add("checkpoint", aCheckpoint(11, 3))
        tx.count("ses_1", "turns", 2)
      })
      await store.append(by, (tx) => tx.count("ses_1", "turns"))
      const { state } = store.read()
      expect([state.mem.size, state.checkpoint.size]).toEqual([1, 1])
      expect(state.metrics.get("ses_1")?.counts).toEqual({ turns: 3 })
      await expect(store.append(by, (tx) => tx.add("plan", aPlan(12)))).rejects.toMatchObject({
        code: "internal",
      })
      await expect(store.append(by, (tx) => tx.set("mem", uuid(10), { shelf: "x" }))).rejects.toThrow()
      expect(store.read().state.plan.size).toBe(1)
    })

    it("keeps the order of concurrent writes", async () => {
      const store = await planned()
      const titles = Array.from({ length: 20 }, (_, n) => `Title ${n}`)
      await Promise.all(titles.map((title) => store.write(by, (tx) => tx.set("task", uuid(3), { title }))))
      expect(store.read().state.task.get(uuid(3))?.title).toBe("Title 19")
      expect(await store.log()).toHaveLength(21)
    })

    it("undoes an entry, and undoes the undoing", async () => {
      const store = await planned()
      const { entry } = await store.write(by, (tx) => tx.set("task", uuid(3), { status: "active" }))
      const undone = await store.undo(entry?.id ?? "", by)
      expect(undone.undoes).toBe(entry?.id)
      expect(store.read().state.task.get(uuid(3))?.status).toBe("planned")
      await expect(store.undo(entry?.id ?? "", by)).rejects.toMatchObject({ code: "conflict" })
      await store.undo(undone.id, by)
      expect(store.read().state.task.get(uuid(3))?.status).toBe("active")
      // An undo may restore a status that the lifecycle forbids.
      const ended = await store.write(by, (tx) => tx.set("task", uuid(3), { status: "completed" }))
      await store.undo(ended.entry?.id ?? "", by)
      expect(store.read().state.task.get(uuid(3))?.status).toBe("active")
      await expect(store.undo(uuid(4711), by)).rejects.toMatchObject({ code: "not_found" })
    })

    it("a register keeps the value that was set last, and can be cleared", async () => {
      const store = await openStore()
      await store.append(by, (tx) => tx.register("ses_1", "severity", "warning"))
      await store.append(by, (tx) => {
        tx.register("ses_1", "severity", "critical")
        tx.register("ses_1", "at", 12)
        tx.count("ses_1", "turns")
      })
      expect(store.read().state.metrics.get("ses_1")).toEqual({
        id: "ses_1",
        counts: { turns: 1 },
        registers: { severity: "critical", at: 12 },
        compactions: 0,
      })
      await store.append(by, (tx) => tx.register("ses_1", "severity", null))
      expect(store.read().state.metrics.get("ses_1")?.registers).toEqual({ at: 12 })
    })

    it("keeps how often a session was compacted, each time as an entry of its own", async () => {
      const store = await openStore()
      for (let n = 0; n < 2; n++) await store.append(by, (tx) => tx.recordCompaction("ses_1"))
      expect(compactionsOf(store.read().state, "ses_1")).toBe(2)
      expect(compactionsOf(store.read().state, "ses_2")).toBe(0)
      expect((await store.log()).map(({ ops }) => ops.some((op) => isCompaction(op, "ses_1")))).toEqual([
        true,
        true,
      ])
    })

    it("undoing an entry removes its mem, but keeps its counters", async () => {
      const store = await planned()
      const { entry } = await store.append(by, (tx) => {
        tx.add("mem", aMem(10))
        tx.count("ses_1", "turns", 2)
      })
      await store.undo(entry?.id ?? "", by)
      expect(store.read().state.mem.size).toBe(0)
      expect(store.read().state.metrics.get("ses_1")?.counts).toEqual({ turns: 2 })
    })

    it("does not undo what later entries build on", async () => {
      const store = await planned()
      const [first] = await store.log()
      await store.append(by, (tx) => tx.add("mem", aMem(10, { origin_task_id: uuid(3) })))
      await expect(store.undo(first?.id ?? "", by)).rejects.toMatchObject({ code: "in_use" })
      const { entry } = await store.write(by, (tx) => tx.set("task", uuid(3), { title: "B" }))
      await store.write(by, (tx) => tx.set("task", uuid(3), { title: "C" }))
      await expect(store.undo(entry?.id ?? "", by)).rejects.toMatchObject({ code: "conflict" })
      expect(store.read().state.task.get(uuid(3))?.title).toBe("C")
    })

    it("reads the graph as of a time", async () => {
      const source = countingSource()
      const store = await planned(source)
      source.seconds = 100
      await store.write(by, (tx) => tx.set("task", uuid(3), { title: "Later" }))
      source.seconds = 200
      await store.write(by, (tx) => tx.set("task", uuid(3), { title: "Latest" }))
      expect((await store.asOf(T0 - 1)).task.size).toBe(0)
      expect((await store.asOf(T0 + 50_000)).task.get(uuid(3))?.title).toBe("Task 3")
      expect((await store.asOf(T0 + 150_000)).task.get(uuid(3))?.title).toBe("Later")
      expect((await store.asOf(T0 + 999_000)).task.get(uuid(3))?.title).toBe("Latest")
    })

    it("refuses to write once closed", async () => {
      const store = await planned()
      await store.close()
      await expect(store.write(by, (tx) => tx.add("plan", aPlan(50)))).rejects.toMatchObject({
        code: "closed",
      })
      await expect(store.append(by, (tx) => tx.add("mem", aMem(51)))).rejects.toMatchObject({
        code: "closed",
      })
      expect(store.read().state.plan.size).toBe(1)
    })
  })
}
