import { describe, expect, it, onTestFinished } from "vitest"
import type { Hive } from "../../../src/hive/hive.ts"
import { recall } from "../../../src/knowledge/recall/recall.ts"
import type { Mem } from "../../../src/schemas/knowledge.ts"
import { systemSource } from "../../../src/shared/ids.ts"
import { openFileStore } from "../../../src/store/file-store.ts"
import { memoryHive } from "../../support/hive.ts"
import { aMem, by, uuid } from "../../support/records.ts"
import { tempProject } from "../../support/temp-project.ts"

/** Opens a folder as a process of its own would; every fold puts these mems away. */
function open(dir: string, leaving: (mem: Mem) => boolean = () => false): Hive {
  const store = openFileStore(dir, {
    source: systemSource,
    leaving: (state) => [...state.mem.values()].filter(leaving),
  })
  onTestFinished(() => store.close())
  return { ...memoryHive(), store }
}

const found = async (hive: Hive, query: string) =>
  (await recall(hive, query, { limit: 50 })).map(({ mem, why, isArchived }) => [mem.id, why, isArchived])
const save = (hive: Hive, n: number, content: string, more: Partial<Mem> = {}) =>
  hive.store.append(by, (tx) => tx.add("mem", aMem(n, { content, ...more })))

describe("the index of recall", () => {
  it("sees later writes of this and another process", async () => {
    const dir = await tempProject()
    const [one, two] = [open(dir), open(dir)]
    await save(one, 1, "argon2 hashes passwords")
    expect(await found(one, "argon2")).toHaveLength(1)
    await save(two, 2, "argon2 needs memory")
    expect(await found(one, "argon2")).toHaveLength(2)
    await two.store.write(by, (tx) => tx.set("mem", uuid(2), { content: "bcrypt needs memory" }))
    expect(await found(one, "argon2")).toHaveLength(1)
    expect(await found(one, "bcrypt")).toHaveLength(1)
  })

  it("finds mems in the archive alike: those that were there, and those that leave later", async () => {
    const dir = await tempProject()
    const one = open(dir, ({ id }) => id === uuid(1) || id === uuid(2))
    await save(one, 1, "argon2 hashes passwords")
    await one.store.fold()
    const two = open(dir)
    expect(await found(two, "argon2")).toEqual([[uuid(1), "words: argon2", true]])
    await save(one, 2, "argon2 needs memory")
    expect(await found(two, "argon2")).toHaveLength(2)
    await one.store.fold()
    expect(one.store.read().state.mem.size).toBe(0)
    for (const hive of [one, two])
      expect(await found(hive, "memory")).toEqual([[uuid(2), "words: memory", true]])
  })

  it("follows undo and redo", async () => {
    const hive = open(await tempProject())
    const { entry } = await save(hive, 1, "argon2 hashes passwords")
    expect(await found(hive, "argon2")).toHaveLength(1)
    const undone = await hive.store.undo(entry?.id ?? "", by)
    expect(await found(hive, "argon2")).toEqual([])
    await hive.store.undo(undone.id, by)
    expect(await found(hive, "argon2")).toHaveLength(1)
  })
})
