import fs from "node:fs"
import { dirname, join } from "node:path"
import { expect, it, vi } from "vitest"
import { packedWarnings } from "../../src/context/inject/packed-warnings.ts"
import { defaultConfig } from "../../src/schemas/config.ts"
import { type HivePaths, hivePaths } from "../../src/store/files/layout.ts"
import { checksum, commitManifest, newestManifest } from "../../src/store/snapshot/manifest.ts"
import { renderPart } from "../../src/store/snapshot/parts.ts"
import type { Store } from "../../src/store/store.ts"
import { trials } from "../support/effort.ts"
import { openStore, superseded } from "../support/open-store.ts"
import { partFiles } from "../support/parts.ts"
import { aMem, aPlan, by, countingSource, T0, uuid } from "../support/records.ts"
import { tempProject } from "../support/temp-project.ts"

it("a process that did not see the manifest before it was damaged writes the lost mems again", async () => {
  const { project, paths, store } = await filled("twice")
  const other = open(project)
  other.read()
  await archiveNext(store, 201, 250)
  fs.writeFileSync(newestIn(paths.graph), "")
  await other.append(by, (tx) => tx.add("mem", aMem(301)))
  await other.fold()
  expect(unreachable(open(project))).toEqual([])
})

it("a mem that came back and was archived again is found as it was last, though an older file has it too", async () => {
  const { project, store, paths } = await filled()
  await store.write(by, (tx) => tx.add("mem", aMem(1, { content: "newer", status: "superseded" })))
  await store.fold()
  expect(store.archive.get(uuid(1))?.content).toBe("newer")
  fs.rmSync(newestIn(paths.graph))
  const again = open(project)
  await again.ready()
  expect(again.archive.get(uuid(1))?.content).toBe("newer")
  await foldThrice(again)
  const fresh = open(project)
  await fresh.ready()
  expect(fresh.archive.get(uuid(1))?.content).toBe("newer")
})

const remove = (files: readonly string[]) => {
  for (const file of files) fs.rmSync(file)
}
const damage = (files: readonly string[]) => {
  for (const file of files) fs.writeFileSync(file, "{")
}
it.each([
  ["the newest manifest damaged", ({ graph }: HivePaths) => damage([newestIn(graph)]), "100 mems is lost"],
  ["all manifests gone", ({ graph }: HivePaths) => remove(manifestsIn(graph)), ""],
  ["all manifests damaged", ({ graph }: HivePaths) => damage(manifestsIn(graph)), ""],
  [
    "all parts of mems gone",
    removeParts,
    "the file is missing; HiveMind reads its records from the log instead",
  ],
] as const)(
  "%s: reported, every mem is reachable, and folds write all files again",
  async (_, lose, told) => {
    const { project, paths } = await filled(told === "" ? "twice" : "once")
    const { archive } = newestManifest(paths.graph).manifest
    lose(paths)
    const reading = open(project)
    expect(unreachable(reading)).toEqual([])
    expect(warnings(reading)).toMatch(told === "" ? /./ : told)
    await foldThrice(reading)
    for (const each of [reading, open(project)]) {
      expect(unreachable(each)).toEqual([])
      expect(warnings(each)).toBe("")
      expect(await each.compareWithLog()).toEqual([])
    }
    for (const { file } of archive) expect(fs.existsSync(join(paths.archive, file))).toBe(true)
  },
)

it.each([
  ["gone", (file: string) => fs.rmSync(file)],
  ["cut", (file: string) => fs.writeFileSync(file, fs.readFileSync(file).subarray(0, 2000))],
] as const)(
  "an archive file that is %s is reported, and the next fold rebuilds it from the log",
  async (_, lose) => {
    const { project, paths, store } = await filled("twice")
    // A mem that was dropped after it was archived stays dropped.
    await store.append(by, (tx) => tx.add("mem", aMem(400)))
    await archiveNext(store, 400, 400)
    expect(store.archive.has(uuid(400))).toBe(true)
    await store.write(by, (tx) => tx.add("mem", aMem(400)))
    await store.write(by, (tx) => tx.drop("mem", uuid(400)))
    await store.fold()
    const [oldest] = newestManifest(paths.graph).manifest.archive
    lose(join(paths.archive, oldest?.file ?? ""))
    const again = open(project)
    expect(unreachable(again)).not.toEqual([])
    expect(warnings(again)).toContain(`graph/archive/${oldest?.file}: the file`)
    await again.fold("idle")
    for (const each of [again, open(project)]) {
      expect(unreachable(each)).toEqual([])
      expect(each.archive.get(uuid(400))).toBeUndefined()
      expect(warnings(each)).toBe("")
      expect(await each.compareWithLog()).toEqual([])
    }
  },
)

it("a damaged line in the archive that no search met is rebuilt by a repair", async () => {
  const { project, paths } = await filled("twice")
  const [oldest] = newestManifest(paths.graph).manifest.archive
  const file = join(paths.archive, oldest?.file ?? "")
  fs.writeFileSync(file, fs.readFileSync(file, "utf8").replace("Mem 50", "Mem 5x"))
  const store = open(project)
  expect(await store.compareWithLog()).not.toEqual([])
  expect(await store.repair()).toMatchObject({ folded: true })
  for (const each of [store, open(project)]) {
    expect(unreachable(each)).toEqual([])
    expect(await each.compareWithLog()).toEqual([])
    expect(warnings(each)).toBe("")
  }
  expect(await open(project).repair()).toMatchObject({ folded: false, note: "nothing new" })
})

it("replaced files stay for an hour, and files that no whole manifest names stay for good", async () => {
  const { project, paths, store, source } = await filled()
  const before = newestManifest(paths.graph).manifest
  const stray = join(paths.parts, "mems.0001.000001-0a1b2c3d.json")
  fs.writeFileSync(stray, "{}")
  const isThere = () => before.parts.every(({ file }) => fs.existsSync(join(paths.parts, file)))
  const touch = async (n: number) => {
    await store.write(by, (tx) => tx.set("mem", uuid(300), { tags: [`t${n}`] }))
    await store.fold()
  }
  for (let n = 0; n < 3; n++) await touch(n)
  expect(isThere()).toBe(true)
  source.seconds += 3600
  for (let n = 3; n < 5; n++) await touch(n)
  expect(isThere()).toBe(false)
  expect(fs.existsSync(stray)).toBe(true)
  expect(unreachable(open(project))).toEqual([])
  // After many folds within an hour, only the newest few manifests are kept.
  for (let n = 5; n < 20; n++) await touch(n)
  expect(manifestsIn(paths.graph).length).toBeLessThan(10)
})

it("a log with more archived mems than memory should hold is rebuilt in batches", async () => {
  const project = await tempProject()
  const store = open(project)
  const count = trials(2500, 45_000)
  for (let n = 0; n < count; n += 500)
    await store.append(by, (tx) => {
      for (let k = n; k < n + 500; k++) tx.add("mem", aMem(10_000 + k))
    })
  for (let n = 0; n < count; n += 500)
    await store.write(by, (tx) => {
      for (let k = n; k < n + 500; k++) tx.set("mem", uuid(10_000 + k), { status: "superseded" })
    })
  while ((await store.fold()).folded);
  const { graph } = hivePaths(project)
  remove(manifestsIn(graph))
  const again = open(project)
  await again.ready()
  expect(
    again
      .health()
      .problems.map(({ reason }) => reason)
      .join(),
  ).toContain(`of ${count} mems is lost`)
  await again.fold()
  const fresh = open(project)
  expect(warnings(fresh)).toBe("")
  const { get, close } = fresh.archive.lookups()
  const lost = Array.from({ length: count }, (_, n) => uuid(10_000 + n)).filter((id) => get(id) === undefined)
  close()
  expect(lost).toEqual([])
  expect(await fresh.compareWithLog()).toEqual([])
})

async function filled(folds: "once" | "twice" = "once") {
  const project = await tempProject()
  const source = countingSource()
  const store = open(project, source)
  await store.write(by, (tx) => {
    tx.add("plan", aPlan(1000))
    for (let n = 1; n <= 300; n++) tx.add("mem", aMem(n))
  })
  await store.fold()
  await archiveNext(store, 1, 100)
  // Few mems, so that the second fold writes another file instead of merging into the first.
  if (folds === "twice") await archiveNext(store, 101, 110)
  return { project, store, source, paths: hivePaths(project) }
}

async function archiveNext(store: Store, from: number, to: number): Promise<void> {
  await store.write(by, (tx) => {
    for (let n = from; n <= to; n++) tx.set("mem", uuid(n), { status: "superseded" })
  })
  await store.fold()
}

function open(project: string, source = countingSource(T0 + 60_000)): Store {
  return openStore(project, { source, leaving: superseded })
}

function unreachable(store: Store): string[] {
  const { state } = store.read()
  const walked = [...store.archive.walk((id) => state.mem.has(id))].flatMap((mem) => mem?.id ?? [])
  const all = new Set([...state.mem.keys(), ...walked])
  expect(new Set(walked).size).toBe(walked.length)
  const ids = Array.from({ length: 300 }, (_, n) => uuid(n + 1))
  return ids.filter((id) => !all.has(id) || !(state.mem.has(id) || store.archive.has(id)))
}

function warnings(store: Store): string {
  const hive = { config: defaultConfig }
  const found = packedWarnings(hive, store.read(), "ses_1", [], T0).filter(({ id }) => id === "quarantine")
  expect(store.health().problems.length > 0).toBe(found.length > 0)
  return found.map(({ text }) => text).join()
}

async function foldThrice(store: Store): Promise<void> {
  for (let n = 501; n <= 503; n++) {
    await store.append(by, (tx) => tx.add("mem", aMem(n)))
    await store.fold()
  }
}

function manifestsIn(graph: string): string[] {
  const names = fs.readdirSync(graph).filter((name) => name.startsWith("manifest."))
  return names.sort().map((name) => join(graph, name))
}

const newestIn = (graph: string): string => manifestsIn(graph).at(-1) ?? ""

function removeParts({ root }: HivePaths): void {
  remove(partFiles(dirname(root), "mems").map((file) => join(root, file)))
}

it("a process that loads the graph again while it takes over an older fold leaves no archive file out of the next one", async () => {
  const project = await tempProject()
  const store = open(project)
  // Writes many parts, because a reader adopts another process's fold a few parts at a time.
  for (let n = 1; n <= 3000; n += 250)
    await store.append(by, (tx) => {
      for (let k = n; k < n + 250; k++) tx.add("mem", aMem(k))
    })
  await store.fold()
  // The missing part makes the reader load the graph again.
  const part = join(hivePaths(project).root, partFiles(project, "mems")[0] ?? "")
  fs.renameSync(part, `${part}.away`)
  fs.mkdirSync(part)
  const late = open(project)
  await late.ready()
  await archiveNext(store, 3000, 3000)
  readSlowly(late) // Begins to adopt the fold.
  await archiveNext(store, 2999, 2999)
  await store.append(by, (tx) => tx.add("mem", aMem(3001)))
  await store.fold()
  fs.rmdirSync(part)
  fs.renameSync(`${part}.away`, part)
  for (let n = 0; n < 30; n++) readSlowly(late) // Reads while the graph is loaded again.
  await late.ready()
  expect([...late.archive.walk(() => false)].map((mem) => mem?.id)).toContain(uuid(2999))
  await late.append(by, (tx) => tx.add("mem", aMem(3002)))
  expect(await late.fold()).toMatchObject({ folded: true })
  for (const each of [late, open(project)]) {
    await each.ready()
    expect(each.archive.has(uuid(2999))).toBe(true)
    expect(await each.compareWithLog()).toEqual([])
  }
})

/** Imitates a busy machine: each read has time for one step only. */
function readSlowly(store: Store): void {
  let now = performance.now()
  const clock = vi.spyOn(performance, "now").mockImplementation(() => (now += 100))
  try {
    store.read()
  } finally {
    clock.mockRestore()
  }
}

it("a record that is in the log and not in the graph is told, and a repair brings it back for all processes", async () => {
  const project = await tempProject()
  const paths = hivePaths(project)
  const first = open(project)
  for (const n of [1, 2, 3]) await first.append(by, (tx) => tx.add("mem", aMem(n)))
  await first.write(by, (tx) => tx.set("mem", uuid(2), { content: "as it was last" }))
  await first.fold()
  await first.close()
  const { manifest, next } = newestManifest(paths.graph)
  const text = renderPart("mem", [aMem(1), aMem(3)])
  const parts = manifest.parts.map((part) => ({ ...part, sum: checksum(text) }))
  for (const { file } of parts) fs.writeFileSync(join(paths.parts, file), text)
  await commitManifest(paths.graph, { ...manifest, number: next, parts })

  const [one, other] = [1, 2].map(() => openStore(project)) as [Store, Store]
  for (const each of [one, other]) {
    expect(each.read().state.mem.has(uuid(2))).toBe(false)
    const text = `mem ${uuid(2)} is in the log, but not in the graph`
    expect(await each.compareWithLog()).toEqual([{ code: "lost_record", text }])
  }
  expect(await one.repair()).toMatchObject({
    folded: true,
    note: expect.stringContaining("1 record brought back"),
  })
  expect(await one.repair()).toMatchObject({ note: "nothing new" })
  await other.append(by, (tx) => tx.add("mem", aMem(4)))
  await other.fold()
  for (const each of [one, other, open(project)]) {
    expect(each.read().state.mem.get(uuid(2))?.content).toBe("as it was last")
    expect(await each.compareWithLog()).toEqual([])
  }
})
