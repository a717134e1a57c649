import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { openHive } from "../../src/api.ts"
import { hivePaths } from "../../src/store/files/layout.ts"
import { entryLine, withSum } from "../../src/store/log/line.ts"
import { segmentPath } from "../../src/store/log/segments.ts"
import { newStore, openStore as open, superseded } from "../support/open-store.ts"
import { partFile } from "../support/parts.ts"
import { aMem, aPlan, by, uuid } from "../support/records.ts"
import { tempProject } from "../support/temp-project.ts"

const badLines: [string, string, (segment: string) => void][] = [
  [
    "nested 20,000 deep",
    "broken_line",
    (segment) => {
      const deep = `{"id":"${uuid(900)}","ops":${"[".repeat(20_000)}${"]".repeat(20_000)}}`
      appendFileSync(segment, `\n${withSum(deep, 1)}`)
    },
  ],
  [
    "that is 80 MB long",
    "broken_line",
    (segment) => {
      appendFileSync(segment, "\n")
      truncateSync(segment, statSync(segment).size + 80_000_000)
    },
  ],
  ["150,000 times bad", "broken_line", (segment) => appendFileSync(segment, "\n{bad}".repeat(150_000))],
  [
    "with bytes that are no text",
    "broken_line",
    (segment) => {
      const line = Buffer.from(entryLine(anEntry(901), 1))
      line[line.indexOf("Mem")] = 0xff
      appendFileSync(segment, Buffer.concat([Buffer.from("\n"), line]))
    },
  ],
]

for (const [what, code, spoil] of badLines) {
  it(`a line ${what} is told of, and hides nothing that comes after it`, async () => {
    const { project, paths, store } = await written()
    const segment = segmentPath(paths.log, 1)
    spoil(segment)
    await store.append(by, (tx) => tx.add("mem", aMem(2)))
    for (const each of [store, open(project)]) {
      const { state, problems } = each.read()
      expect([...state.mem.keys()]).toEqual([uuid(1), uuid(2)])
      expect(problems[0]).toMatchObject({ code })
      expect(problems.length).toBeLessThanOrEqual(1000)
    }
    await store.fold()
    expect([...open(project).read().state.mem.keys()]).toEqual([uuid(1), uuid(2)])
  })
}

it("a part that is gone while another process takes it over is written again with all that was in it", async () => {
  const { project, paths, store } = await written()
  await store.fold()
  const other = open(project)
  other.read()
  await store.append(by, (tx) => tx.add("mem", aMem(2)))
  await store.fold()
  rmSync(join(paths.root, partFile(project, "mems")))
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
  renameSync(segment, `${segment}.aside`)
  mkdirSync(segment)
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
  expect(existsSync(segmentPath(paths.log, 3))).toBe(false)
  copyFileSync(segmentPath(paths.log, 1), segmentPath(paths.log, 3))
  const again = open(project)
  await again.append(by, (tx) => tx.add("mem", aMem(2)))
  for (const each of [store, again, open(project)]) {
    const { state, problems } = each.read()
    expect(state.plan.get(uuid(1))?.title).toBe("new")
    expect(state.mem.has(uuid(2))).toBe(true)
    expect(problems[0]).toMatchObject({ code: "broken_line", file: "graph/log/000003.jsonl" })
  }
})

it("a line of the archive that is damaged is told of, and takes neither its neighbours nor a link along", async () => {
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
  const { archive } = hivePaths(project)
  const file = join(archive, readdirSync(archive)[0] ?? "")
  const text = readFileSync(file, "utf8")
  writeFileSync(file, text.replace("Mem 5", "Mem 6"))
  const again = open(project)
  const found = Array.from({ length: 9 }, (_, n) => again.archive.has(uuid(n + 1)))
  expect(found).toEqual([true, true, true, true, false, true, true, true, true])
  expect(again.read().problems).toContainEqual(expect.objectContaining({ code: "broken_file" }))
  expect(again.read().state.mem.get(uuid(20))?.related_to).toEqual([uuid(5)])
  expect(await again.compareWithLog()).not.toEqual([])
})

it("a folder that is not there is an error, and is not made", async () => {
  const project = await tempProject()
  const typo = join(project, "typo", "path")
  await expect(openHive(typo)).rejects.toMatchObject({ code: "no_project" })
  expect(existsSync(join(project, "typo"))).toBe(false)
})

async function written() {
  const opened = await newStore()
  await opened.store.append(by, (tx) => tx.add("mem", aMem(1)))
  return opened
}

function anEntry(n: number): Parameters<typeof entryLine>[0] {
  const ops = [{ op: "add" as const, kind: "mem" as const, record: aMem(n) }]
  return { id: uuid(n), at: new Date(0).toISOString(), by, writer: "other", clock: n, ops }
}
