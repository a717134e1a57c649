import { execFileSync } from "node:child_process"
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { syncLines } from "../../src/cli/sync.ts"
import { systemSource } from "../../src/shared/ids.ts"
import type { Store } from "../../src/store/store.ts"
import { LOG_REF } from "../../src/sync/ref.ts"
import { sharedGraph } from "../support/clones.ts"
import { git, linesInLog } from "../support/git-repo.ts"
import { openMemoryStore } from "../support/memory-store.ts"
import { addPlan, aMem, aPlan, aTask, by, uuid } from "../support/records.ts"
import { type Member, makeTeam, memberIn, mems, save, sync } from "../support/team.ts"
import { tempProject } from "../support/temp-project.ts"

it("both write, either one comes first: the same graph, and what lost is shown in both", async () => {
  const { anna, bert } = await team()
  await anna.store.write(by, (tx) => {
    addPlan(tx)
    tx.add("task", aTask(3, 1, 2, { status: "active" }))
  })
  await sync(anna)
  await sync(bert)
  await anna.store.write(by, (tx) => tx.set("task", uuid(3), { status: "completed", evidence: "done" }))
  await bert.store.write(by, (tx) => tx.set("task", uuid(3), { status: "failed", reason: "broke" }))
  await sync(bert)
  const { conflicts } = await sync(anna)
  expect(conflicts).toMatchObject([{ rule: "ends", status: "open", kept: { fields: { status: "failed" } } }])
  await sync(bert)
  expect(sharedGraph(bert.store)).toEqual(sharedGraph(anna.store))
  expect(bert.store.read().state.conflict.size).toBe(1)
})

it("restores a deleted hive, with its history, from the repository's log", async () => {
  const { anna } = await team()
  for (const n of [1, 2, 3]) await save(anna, n)
  await anna.store.write(by, (tx) => tx.set("mem", uuid(2), { content: "changed" }))
  await sync(anna, { remote: null })
  const before = sharedGraph(anna.store)
  const log = await anna.store.log()
  await anna.store.close()
  rmSync(join(anna.dir, ".hivemind"), { recursive: true })
  const again = memberIn(anna.dir)
  expect(await sync(again, { remote: null })).toMatchObject({ brought: 4 })
  expect(sharedGraph(again.store)).toEqual(before)
  expect((await again.store.log()).map(({ id, at }) => [id, at])).toEqual(log.map(({ id, at }) => [id, at]))
})

it("restored entries of a long log keep their original times", async () => {
  const { anna } = await team()
  let now = Date.UTC(2026, 0, 1)
  const source = { ...systemSource, now: () => now++ }
  const gone = openMemoryStore(source, "gone")
  // More mems than one portion of a merge.
  const mems = Array.from({ length: 5100 }, (_, n) => aMem(n + 1))
  for (const mem of mems) await gone.append(by, (tx) => tx.add("mem", mem))
  await sync({ dir: anna.dir, store: gone }, { remote: null })
  await sync(anna, { remote: null })
  expect((await anna.store.asOf(now)).mem.size).toBe(mems.length)
})

it("a restore that was interrupted goes on, and all of it counts from when it was written", async () => {
  const { anna } = await team()
  let now = Date.UTC(2026, 0, 1)
  const gone = openMemoryStore({ ...systemSource, now: () => now++ }, "gone")
  for (const n of [1, 2, 3]) await gone.append(by, (tx) => tx.add("mem", aMem(n)))
  await sync({ dir: anna.dir, store: gone }, { remote: null })
  await anna.store.merge((await gone.log()).slice(0, 1), { isRestored: true })
  await sync(anna, { remote: null })
  expect((await anna.store.asOf(now)).mem.size).toBe(3)
  // After the restore, an entry of another clone counts from the time of its merge.
  await gone.append(by, (tx) => tx.add("mem", aMem(4)))
  await sync({ dir: anna.dir, store: gone }, { remote: null })
  await sync(anna, { remote: null })
  expect((await anna.store.asOf(now)).mem.size).toBe(3)
  expect(anna.store.read().state.mem.size).toBe(4)
})

it("a copied folder goes by a name of its own from its first sync on", async () => {
  const { anna, bert, remote } = await team()
  await save(anna, 1)
  await sync(anna)
  const copy = join(await tempProject(), "copy")
  git(anna.dir, "clone", "-q", remote, copy)
  rmSync(join(copy, ".hivemind"), { recursive: true, force: true })
  cpSync(join(anna.dir, ".hivemind"), join(copy, ".hivemind"), { recursive: true })
  const copied = memberIn(copy)
  await save(anna, 2)
  await save(copied, 3)
  await sync(anna)
  await sync(copied)
  await sync(anna)
  await sync(bert)
  expect(await copied.store.clone()).not.toBe(await anna.store.clone())
  // Entries that are in the log under the clone's old name are not sent again.
  expect(linesInLog(anna.dir)).toBe(3)
  for (const each of [anna, bert, copied]) expect(mems(each)).toEqual([1, 2, 3].map(uuid))
})

it("an older copy of the hive that was put back gets again what was merged since", async () => {
  const { anna, bert } = await team()
  await save(anna, 1)
  await sync(anna)
  await save(bert, 2)
  await sync(bert)
  const copy = join(await tempProject(), "copy")
  cpSync(join(bert.dir, ".hivemind"), copy, { recursive: true })
  await save(anna, 3)
  await sync(anna)
  await sync(bert)
  await bert.store.close()
  rmSync(join(bert.dir, ".hivemind"), { recursive: true })
  cpSync(copy, join(bert.dir, ".hivemind"), { recursive: true })
  const again = memberIn(bert.dir)
  await sync(again)
  expect(mems(again)).toEqual([1, 2, 3].map(uuid))
})

it("ignores a line with an absurd clock, so that all clones can go on writing", async () => {
  const { anna, bert } = await team()
  const line = await ownLine(anna)
  putLines(bert.dir, [line.replace(/"clock":\d+/, `"clock":${Number.MAX_SAFE_INTEGER}`)])
  expect(await sync(bert)).toMatchObject({ unreadable: 0, junk: 1, brought: 1 })
  await bert.store.write(by, (tx) => tx.add("plan", aPlan(2)))
  expect(bert.store.read().state.plan.size).toBe(1)
})

it("a line of a newer version waits for an update; junk is not taken for one, and is passed over", async () => {
  const { anna, bert } = await team()
  const line = await ownLine(anna)
  const newer = line.replace('{"id"', '{"new_field":1,"id"')
  putLines(bert.dir, [newer, "not JSON", "null", "[]", '{"id":"x"}', line.replace('"ops":[', '"ops":["x",')])
  const report = await sync(bert)
  expect(report).toMatchObject({ unreadable: 1, junk: 5, brought: 1 })
  const text = syncLines(report, bert.store.read().state, (_, words) => words).join("\n")
  expect(text).toContain("1 line of a newer HiveMind cannot be read.")
  expect(text).toContain("Skipped 5 lines in the log of other clones")
})

async function ownLine({ dir, store }: Member): Promise<string> {
  await store.append(by, (tx) => tx.add("mem", aMem(1)))
  await sync({ dir, store })
  return git(dir, "show", `${LOG_REF}:${await store.clone()}/000001.jsonl`)
}

function putLines(dir: string, lines: readonly string[]): void {
  const input = lines.map((line) => `${line}\n`).join("")
  const blob = execFileSync("git", ["hash-object", "-w", "--stdin"], { cwd: dir, input })
  const tree = (rows: string) => execFileSync("git", ["mktree"], { cwd: dir, input: rows }).toString().trim()
  const folder = tree(`100644 blob ${blob.toString().trim()}\t000001.jsonl\n`)
  const commit = git(dir, "commit-tree", "-m", "log", tree(`040000 tree ${folder}\tmallory\n`))
  git(dir, "update-ref", LOG_REF, commit)
}

async function team(): Promise<{ anna: Member; bert: Member; remote: string }> {
  const { anna, bert, remote } = makeTeam(await tempProject())
  return { anna: memberIn(anna), bert: memberIn(bert), remote }
}

it("a sync looks only at what came since the last one", async () => {
  const { anna } = await synced()
  const asked = watchLog(anna.store)
  await save(anna, 3)
  expect(await sync(anna)).toMatchObject({ saved: 1, push: "pushed" })
  expect(Math.max(...asked)).toBeLessThanOrEqual(1)
})

it("a lost or damaged position file costs one full comparison, and sends nothing twice", async () => {
  for (const damage of [rmSync, (path: string) => writeFileSync(path, '{"clone":"a')]) {
    const { anna, bert } = await synced()
    damage(markOf(anna))
    await save(anna, 3)
    expect(await sync(anna)).toMatchObject({ saved: 1 })
    expect(await sync(bert)).toMatchObject({ brought: 1 })
    expect(sharedGraph(bert.store)).toEqual(sharedGraph(anna.store))
  }
})

it("a crash before the mark is written: what was saved is not sent twice, and what came since goes", async () => {
  const { anna, bert } = await synced()
  const before = readFileSync(markOf(anna), "utf8")
  await save(anna, 3)
  await sync(anna)
  writeFileSync(markOf(anna), before)
  await save(anna, 4)
  expect(await sync(anna)).toMatchObject({ saved: 1 })
  await sync(bert)
  expect(linesInLog(anna.dir)).toBe(4)
  expect(sharedGraph(bert.store)).toEqual(sharedGraph(anna.store))
})

it("after the repository's log was deleted, this clone's entries are sent again", async () => {
  const { anna } = await synced()
  git(anna.dir, "update-ref", "-d", LOG_REF)
  expect(await sync(anna, { remote: null })).toMatchObject({ saved: 2 })
  expect(linesInLog(anna.dir)).toBe(2)
})

async function synced() {
  const { anna, bert } = await team()
  await save(anna, 1)
  await save(anna, 2)
  await sync(anna)
  await sync(bert)
  return { anna, bert }
}

function watchLog(store: Store): number[] {
  const asked: number[] = []
  const { log } = store
  store.log = async (part) => {
    const found = await log(part)
    asked.push(found.length)
    return found
  }
  return asked
}

const markOf = ({ dir }: Member): string => join(dir, ".hivemind", "state", "sync.json")
