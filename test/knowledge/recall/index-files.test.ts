import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import type { Hive } from "../../../src/hive/hive.ts"
import { memIndexOf } from "../../../src/knowledge/index/mem-index.ts"
import { recall, recallKnown } from "../../../src/knowledge/recall/recall.ts"
import type { Mem } from "../../../src/schemas/knowledge.ts"
import { systemSource } from "../../../src/shared/ids.ts"
import { openFileStore } from "../../../src/store/file-store.ts"
import { hivePaths } from "../../../src/store/files/layout.ts"
import type { IndexFiles } from "../../../src/store/index-files.ts"
import { randomFrom } from "../../store/faults/random.ts"
import { trials } from "../../support/effort.ts"
import { memoryHive } from "../../support/hive.ts"
import { aMem, by, uuid } from "../../support/records.ts"
import { tempProject } from "../../support/temp-project.ts"

/** Opens a folder with its own store, like a separate process. A fold archives every third mem and each superseded one. */
function open(dir: string): Hive {
  const isLeaving = ({ id, status }: Mem) =>
    status === "superseded" || Number.parseInt(id.slice(-4), 16) % 3 === 0
  const store = openFileStore(dir, {
    source: systemSource,
    leaving: (state) => [...state.mem.values()].filter(isLeaving),
  })
  onTestFinished(() => store.close())
  return { ...memoryHive(), store }
}

function openInMemory(dir: string): Hive {
  const hive = open(dir)
  return { ...hive, store: { ...hive.store, index: undefined } }
}

/** Opens a folder with a store whose index files are partly replaced by `change`. */
function openWith(dir: string, change: (files: IndexFiles) => Partial<IndexFiles>): Hive {
  const hive = open(dir)
  const { index } = hive.store
  if (index === undefined) throw new Error("the store has no index")
  return { ...hive, store: { ...hive.store, index: { ...index, ...change(index) } } }
}

const filesIn = (dir: string) => {
  const folder = hivePaths(dir).index
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".words")) : []
}

async function answers(hive: Hive, queries: readonly string[]): Promise<string[][]> {
  const all: string[][] = []
  for (const query of queries) {
    const hits = await recall(hive, query, { limit: 100 })
    // Mems with equal scores are cut off in an undefined order, so scores at the end of a full list are not compared.
    const bar = hits.length < 100 ? 0 : (hits[SURE]?.score ?? 0) + 1e-6
    const clear = hits.filter(({ score }) => score > bar)
    all.push(
      clear.map(({ mem, score, why, isArchived }) => `${mem.id} ${score.toFixed(5)} ${why} ${isArchived}`),
    )
  }
  return all
}

const SURE = 30
const SYLLABLES = ["ka", "ro", "mi", "tes", "lu", "van", "gor", "dip"]
const WORDS = Array.from({ length: 400 }, (_, n) =>
  [n % 8, (n >> 3) % 8, (n * 5) % 8, n >> 6].map((at) => SYLLABLES[at]).join(""),
)

function randomMem(n: number, random: () => number, known: readonly string[] = []): Mem {
  const word = () => WORDS[Math.floor(random() ** 3 * WORDS.length)] ?? ""
  return aMem(n, {
    content: Array.from({ length: 4 + Math.floor(random() * 12) }, word).join(" "),
    tags: random() < 0.3 ? [word()] : [],
    related_to: random() < 0.1 ? known.slice(Math.floor(random() * known.length)).slice(0, 1) : [],
    kind: random() < 0.2 ? "decision" : "fact",
    created_at: new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString(),
  })
}

function randomQueries(count: number, random: () => number): string[] {
  const word = () => WORDS[Math.floor(random() ** 2 * WORDS.length)] ?? ""
  return Array.from({ length: count }, (_, n) => {
    const words = Array.from({ length: 1 + Math.floor(random() * 4) }, word)
    // One query in seven has a typo that no mem has.
    return n % 7 === 0 ? `${words[0]?.slice(0, -1)}k` : words.join(" ")
  })
}

async function saveMany(hive: Hive, from: number, to: number, random: () => number): Promise<void> {
  const known = [...hive.store.read().state.mem.keys()]
  await hive.store.append(by, (tx) => {
    for (let n = from; n <= to; n++) {
      tx.add("mem", randomMem(n, random, known))
      known.push(uuid(n))
    }
  })
}

describe("the index of recall on disk", () => {
  it("gives the answers of one in memory, in their order, after any later writes", async () => {
    const random = randomFrom(1)
    const dir = await tempProject()
    const hive = open(dir)
    await saveMany(hive, 1, 1200, random)
    const queries = randomQueries(4, random)
    await memIndexOf(hive.store).filed()
    expect(filesIn(dir)).toHaveLength(1)
    const compare = async () => {
      const expected = await answers(openInMemory(dir), queries)
      expect(await answers(hive, queries)).toEqual(expected)
      expect(await answers(open(dir), queries)).toEqual(expected)
    }
    await compare()

    const { entry } = await hive.store.append(by, (tx) => tx.add("mem", randomMem(1503, random)))
    await hive.store.write(by, (tx) => {
      for (let n = 1; n <= 50; n++) {
        const replaced = uuid(n * 20)
        if (tx.get("mem", replaced) === undefined) continue
        tx.set("mem", replaced, { status: "superseded" })
        tx.add("mem", { ...randomMem(3000 + n, random), supersedes: replaced })
      }
    })
    await hive.store.fold()
    await compare()
    // The mem is in the archive by now. An undo restores it, and a second undo removes it.
    expect(hive.store.archive.has(uuid(1503))).toBe(true)
    const [leaving] = await hive.store.log({ tool: "archive", naming: uuid(1503), limit: 1 })
    await hive.store.undo(leaving?.id ?? "", by)
    await compare()
    await hive.store.undo(entry?.id ?? "", by)
    await hive.store.write(by, (tx) => tx.set("mem", uuid(1), { content: `changed ${WORDS[0]} ${WORDS[3]}` }))
    await compare()

    for (let round = 0; round < 2; round++) {
      await saveMany(hive, 4000 + round * 1200, 4000 + round * 1200 + 1099, random)
      await hive.store.fold()
      await memIndexOf(hive.store).filed()
    }
    await compare()
    // Files of about the same size are merged.
    expect(filesIn(dir).length).toBeLessThan(3)
    expect(memIndexOf(hive.store).isPartial()).toBe(false)
  })

  it("stays right over any order of writes, folds, undos and filings of several processes", async () => {
    for (let seed = 1; seed <= trials(3, 100); seed++) {
      const random = randomFrom(seed)
      const pick = (most: number) => Math.floor(random() * most)
      const dir = await tempProject()
      const hives = [open(dir), open(dir)]
      let count = 0
      for (let step = 0; step < 40; step++) {
        const hive = hives[pick(hives.length)] ?? open(dir)
        const { store } = hive
        const id = uuid(1 + pick(count + 1))
        const what = random()
        if (what < 0.35) {
          const last = count + 1 + pick(5)
          await saveMany(hive, count + 1, last, random)
          count = last
        } else if (what < 0.45 && store.read().state.mem.has(id))
          await store.write(by, (tx) =>
            tx.set("mem", id, { content: `${WORDS[pick(400)]} ${WORDS[pick(40)]}` }),
          )
        else if (what < 0.5 && store.read().state.mem.get(id)?.status === "active")
          await store.write(by, (tx) => tx.set("mem", id, { status: "purged" }))
        else if (what < 0.6) await store.fold()
        else if (what < 0.7) {
          const entries = await store.log({ limit: 4 })
          const entry = entries[pick(entries.length)]
          // An undo is refused if later entries depend on the entry.
          if (entry?.by.tool === "test") await store.undo(entry.id, by).catch(() => {})
        } else if (what < 0.9) await memIndexOf(store).filed(0)
        else hives[pick(hives.length)] = open(dir)
      }
      const queries = randomQueries(6, random)
      const sorted = (all: string[][]) => all.map((each) => each.toSorted())
      const expected = sorted(await answers(openInMemory(dir), queries))
      for (const hive of [...hives, open(dir)])
        expect(sorted(await answers(hive, queries)), `seed ${seed}`).toEqual(expected)
    }
  })

  it("is rebuilt after it was deleted, cut, changed, or replaced by that of another graph", async () => {
    const random = randomFrom(2)
    const dir = await tempProject()
    const other = await tempProject()
    for (const [folder, from] of [
      [dir, 1],
      [other, 5000],
    ] as const) {
      const hive = open(folder)
      await saveMany(hive, from, from + 1199, random)
      await memIndexOf(hive.store).filed()
    }
    const queries = randomQueries(3, random)
    const expected = await answers(openInMemory(dir), queries)
    const { index } = hivePaths(dir)
    const list = join(index, "list.json")
    const foreign = join(hivePaths(other).index, "list.json")
    const file = () => join(index, filesIn(dir)[0] ?? "")
    const change = (path: string, from: number, to: number) => {
      const bytes = readFileSync(path)
      bytes.fill(7, Math.floor(bytes.length * from), Math.floor(bytes.length * to))
      writeFileSync(path, bytes)
    }
    const damages: [string, () => void][] = [
      ["the folder is gone", () => rmSync(index, { recursive: true })],
      ["the file is gone", () => rmSync(file())],
      ["the file is cut", () => writeFileSync(file(), readFileSync(file()).subarray(0, -100))],
      ["the end of the file is changed", () => change(file(), 0.99, 1)],
      ["the terms are changed", () => change(file(), 0.5, 0.8)],
      ["the list is no JSON", () => writeFileSync(list, "{")],
      [
        "the list is of another version",
        () => writeFileSync(list, readFileSync(list, "utf8").replace('"2 ', '"1 ')),
      ],
      ["the list names another file", () => writeFileSync(list, readFileSync(foreign))],
    ]
    for (const [what, damage] of damages) {
      damage()
      const hive = open(dir)
      expect(await answers(hive, queries), what).toEqual(expected)
      await memIndexOf(hive.store).filed()
      const later = open(dir)
      expect(await answers(later, queries), `later: ${what}`).toEqual(expected)
      // The damaged index was built again as one file, so no mem is only in memory.
      expect(filesIn(dir), what).toHaveLength(1)
      expect(JSON.parse(readFileSync(list, "utf8")).files).toMatchObject([{ docs: 1200 }])
    }
  })

  it("does not find a mem by its former words, in a newer file or while files are merged", async () => {
    const dir = await tempProject()
    let beforeWrite = async () => {}
    const hive = openWith(dir, ({ write }) => ({
      write: async (pieces) => {
        await beforeWrite()
        return write(pieces)
      },
    }))
    const rename = (n: number, content: string) =>
      hive.store.write(by, (tx) => tx.set("mem", uuid(n), { content }))
    const idsOf = async (word: string, at = hive) => (await recall(at, word)).map(({ mem }) => mem.id)
    await hive.store.append(by, (tx) => {
      for (const n of [1, 2, 4, 5, 7, 8]) tx.add("mem", aMem(n, { content: `former${n} words` }))
    })
    await memIndexOf(hive.store).filed(0)
    await rename(1, "other words")
    await memIndexOf(hive.store).filed(0)
    // The second file is much smaller than the first, so they are not merged.
    expect(filesIn(dir)).toHaveLength(2)
    expect([await idsOf("former1", open(dir)), await idsOf("former2", open(dir))]).toEqual([[], [uuid(2)]])

    await rename(4, "still other words")
    let writes = 0
    beforeWrite = async () => {
      if (++writes !== 2) return
      // The second write is the merge. The mem changes while it runs.
      await rename(2, "quite other words")
      expect(await idsOf("former2")).toEqual([])
    }
    await memIndexOf(hive.store).filed(0)
    expect(writes).toBe(2)
    expect(filesIn(dir)).toHaveLength(1)
    expect([await idsOf("former2"), await idsOf("former5")]).toEqual([[], [uuid(5)]])
  })

  it("says while a long archive is missing, indexes it on a full disk, and is written some minutes later", async () => {
    const dir = await tempProject()
    let now = Date.now()
    let isFull = true
    const hive = openWith(dir, ({ write }) => ({
      now: () => now,
      write: (pieces) => (isFull ? Promise.reject(new Error("the disk is full")) : write(pieces)),
    }))
    await saveMany(hive, 1, 1, randomFrom(6))
    function* walk(isKnown: (id: string) => boolean, from = ""): Iterable<Mem | undefined> {
      for (let n = 10; n < 22_000; n++)
        if (uuid(n) > from && !isKnown(uuid(n))) yield aMem(n, { content: `word${n}` })
    }
    const store = { ...hive.store, archive: { ...hive.store.archive, walk } }
    expect((await recallKnown({ store }, "word21999")).notice).toContain("still being built")
    await vi.waitFor(() => expect(memIndexOf(store).isPartial()).toBe(false), { timeout: 60_000 })
    expect((await recallKnown({ store }, "word1")).notice).toBeUndefined()
    expect(filesIn(dir)).toEqual([])

    isFull = false
    await memIndexOf(store).warm()
    expect(filesIn(dir)).toEqual([])
    now += 10 * 60_000
    await memIndexOf(store).warm()
    await vi.waitFor(() => expect(filesIn(dir)).toHaveLength(1), { timeout: 60_000 })
    await expect(memIndexOf(store).filed()).resolves.toBeUndefined()
  })
})
