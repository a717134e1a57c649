import { existsSync, readdirSync } from "node:fs"
import { expect, it } from "vitest"
import type { GraphState } from "../../src/graph/state.ts"
import { mem as memSchema } from "../../src/schemas/knowledge.ts"
import { derivedId } from "../../src/shared/ids.ts"
import { runToEnd } from "../../src/shared/slices.ts"
import { openArchive } from "../../src/store/archive/archive.ts"
import { openFileStore } from "../../src/store/file-store.ts"
import { aMem, by, countingSource } from "../support/records.ts"
import { tempProject } from "../support/temp-project.ts"

const idOf = (n: number) => derivedId("mem", String(n))
/** Texts of many lengths, so that lines begin and end at many offsets of the chunks that are read. */
const memOf = (n: number, content = "x".repeat(1 + ((n * 7919) % (n % 50 === 0 ? 20_000 : 900)))) =>
  memSchema.parse(aMem(n, { id: idOf(n), content }))

async function filled(count: number) {
  const archive = openArchive(await tempProject(), () => undefined)
  const add = (numbers: number[], file: string, content?: string) => {
    const mems = numbers.map((n) => memOf(n, content))
    archive.use(runToEnd(archive.add(mems, [], file)))
  }
  const numbers = Array.from({ length: count }, (_, n) => n)
  add(numbers.slice(0, count - 20), "a.jsonl")
  add(numbers.slice(-20), "b.jsonl")
  return { archive, add, numbers }
}

it("finds each mem of a long file, and no missing one", async () => {
  const { archive, numbers } = await filled(2000)
  expect(archive.files()).toHaveLength(2)
  expect(numbers.filter((n) => archive.get(idOf(n))?.id !== idOf(n))).toEqual([])
  expect(numbers.filter((n) => archive.has(derivedId("other", String(n))))).toEqual([])
  expect(archive.has("00000000-0000-0000-0000-000000000000")).toBe(false)
  expect(archive.has("ffffffff-ffff-ffff-ffff-ffffffffffff")).toBe(false)
})

it("walks all that are not known yet, each once, as its newest file has it", async () => {
  const { archive, add, numbers } = await filled(1200)
  add([1, 2], "c.jsonl", "newer")
  const walked = [...archive.walk((id) => id === idOf(7))].filter((mem) => mem !== undefined)
  expect(walked.map(({ id }) => id)).toEqual(
    numbers
      .filter((n) => n !== 7)
      .map(idOf)
      .sort(),
  )
  expect(walked.filter(({ content }) => content === "newer").map(({ id }) => id)).toEqual(
    [idOf(1), idOf(2)].sort(),
  )
  // `walk` pauses even while it skips known mems.
  expect([...archive.walk(() => true)].length).toBeGreaterThan(0)
})

it.skipIf(!existsSync("/proc/self/fd"))(
  "leaves no file open after lookups of ids that are not there",
  async () => {
    const { archive } = await filled(1200)
    expect(archive.files()).toHaveLength(2)
    const open = () => readdirSync("/proc/self/fd").length
    const before = open()
    for (let n = 0; n < 100; n++) {
      const unknown = derivedId("other", String(n))
      expect(archive.get(unknown)).toBeUndefined()
      expect(archive.startingWith(unknown, 5)).toEqual([])
      const lookups = archive.lookups()
      expect(lookups.get(unknown)).toBeUndefined()
      lookups.close()
    }
    for (const _ of archive.walk(() => false)) break
    expect(open()).toBe(before)
  },
)

it("after a bulk write, all that may leave the hot set has left it when the store is closed", async () => {
  const project = await tempProject()
  const leaving = (state: GraphState) => [...state.mem.values()].slice(0, -100)
  const open = () => openFileStore(project, { source: countingSource(), leaving })
  const store = open()
  const count = 11_000
  await store.append(by, (tx) => {
    for (let n = 0; n < count; n++) tx.add("mem", memOf(n, "Much of it at once, as an import does it"))
  })
  await store.close()
  const later = open()
  await later.ready()
  expect(later.read().state.mem.size).toBe(100)
  expect(later.archive.size()).toBe(count - 100)
  expect(await later.compareWithLog()).toEqual([])
  await later.close()
})
