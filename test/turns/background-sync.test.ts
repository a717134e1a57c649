import { existsSync, rmSync } from "node:fs"
import { join } from "node:path"
import { beforeEach, expect, it, onTestFinished, vi } from "vitest"
import { systemSource } from "../../src/shared/ids.ts"
import { LOG_REF } from "../../src/sync/ref.ts"
import { syncHive } from "../../src/sync/sync.ts"
import { backgroundSync } from "../../src/turns/background-sync.ts"
import type { Step } from "../../src/turns/between-turns.ts"
import { GIT_ENV, git } from "../support/git-repo.ts"
import { openProcess } from "../support/hive-at-work.ts"
import { aMem, by, uuid } from "../support/records.ts"
import { makeTeam, type Team } from "../support/team.ts"
import { tempProject } from "../support/temp-project.ts"

let team: Team
beforeEach(async () => {
  for (const [name, value] of Object.entries(GIT_ENV)) vi.stubEnv(name, value)
  team = makeTeam(await tempProject())
})

const backupDir = (dir: string) => join(dir, ".git", "hivemind", "snapshots")
const backupOf = (dir: string) =>
  existsSync(backupDir(dir)) ? git(backupDir(dir), "log", "-p", "--format=", LOG_REF) : ""
const refsOf = (dir: string) => git(dir, "for-each-ref", "--format=%(refname)", "refs/hivemind")
const logOf = (dir: string) => git(dir, "rev-parse", "--verify", "--quiet", LOG_REF)

it("after a turn with changes the log is backed up in the private repository only", async () => {
  for (const sync of ["manual", "auto"] as const) {
    const anna = await member(team.anna, sync)
    await anna.save(sync === "manual" ? 1 : 2)
    await anna.at("session start")
    expect(backupOf(team.anna)).not.toContain(`Mem ${sync === "manual" ? 1 : 2}`)
    await anna.at("turn end")
    expect(backupOf(team.anna)).toContain(`Mem ${sync === "manual" ? 1 : 2}`)
    expect([refsOf(team.anna), refsOf(team.remote), anna.begun()]).toEqual(["", "", 0])
  }
})

it("backs up after the next turn what was written while a backup ran", async () => {
  const anna = await member(team.anna, "manual")
  await anna.save(1)
  const { clone } = anna.hive.store
  vi.spyOn(anna.hive.store, "clone").mockImplementation(async () => {
    const name = await clone()
    const isBackedUp = existsSync(join(backupDir(team.anna), LOG_REF))
    if (isBackedUp && !anna.hive.store.read().state.mem.has(uuid(2))) await anna.save(2)
    return name
  })
  await anna.at("turn end")
  expect(anna.hive.store.read().state.mem.has(uuid(2))).toBe(true)
  await anna.at("turn end")
  expect(backupOf(team.anna)).toContain("Mem 2")
})

it("restores a deleted folder after the next turn with changes, with a toast", async () => {
  const anna = await member(team.anna, "manual")
  await anna.save(1)
  await anna.at("turn end")
  rmSync(join(team.anna, ".hivemind"), { recursive: true })
  await anna.at("turn end")
  await anna.save(2)
  await anna.at("turn end")
  expect([...anna.hive.store.read().state.mem.keys()].sort()).toEqual([uuid(1), uuid(2)])
  expect(anna.toast.mock.calls).toEqual([[expect.stringContaining("1 entry came back from the backup")]])
})

it("manual: after a sync of the user, the log is kept in the repository and sent nowhere", async () => {
  const anna = await member(team.anna, "manual")
  await anna.save(1)
  await anna.begin()
  const sent = logOf(team.remote)
  await anna.save(2)
  await anna.at("turn end")
  expect(logOf(team.anna)).not.toBe(sent)
  expect(logOf(team.remote)).toBe(sent)
})

it("auto: syncs at a session's start and after a turn, with a toast", async () => {
  const [anna, bert] = [await member(team.anna, "auto"), await member(team.bert, "auto")]
  await anna.save(1)
  await anna.begin()
  await bert.begin()
  await anna.save(3)
  await anna.begin()
  await bert.at("session start")
  expect(bert.toast.mock.calls).toEqual([["HiveMind: 1 entry from other clones"]])
  expect(bert.hive.store.read().state.mem.has(uuid(3))).toBe(true)
  await bert.save(2)
  bert.wait(60)
  await bert.at("turn end")
  expect(bert.toast).toHaveBeenCalledTimes(1)
  await anna.at("turn end")
  expect(anna.hive.store.read().state.mem.has(uuid(2))).toBe(true)
})

it("off or without git does nothing; off removes the backup", async () => {
  const before = await member(team.anna, "manual")
  await before.save(2)
  await before.at("turn end")
  const off = await member(team.anna, "off")
  const outside = await member(await tempProject(), "auto")
  for (const each of [off, outside]) {
    await each.save(1)
    await each.at("session start")
    await each.at("turn end")
    expect(each.begun()).toBe(0)
  }
  expect(git(backupDir(team.anna), "for-each-ref")).toBe("")
  expect(existsSync(join(outside.hive.home, ".hivemind", "snapshots"))).toBe(false)
})

async function member(dir: string, sync: "off" | "manual" | "auto") {
  let ms = Date.UTC(2026, 1, 11)
  const hive = await openProcess(dir, { sync }, { ...systemSource, now: () => ms })
  onTestFinished(() => hive.store.close())
  const [log, toast] = [vi.fn(), vi.fn(async (_message: string) => {})]
  let begun: Promise<unknown>[] = []
  let count = 0
  const later = (steps: readonly Step[]) => {
    count += steps.length
    begun = steps.map(([, run]) => run())
  }
  const between = backgroundSync({ hive: async () => hive, log, toast }, later)
  return {
    hive,
    log,
    toast,
    begun: () => count,
    wait: (seconds: number) => {
      ms += seconds * 1000
    },
    save: (n: number) => hive.store.append(by, (tx) => tx.add("mem", aMem(n))),
    begin: () => syncHive({ store: hive.store, dir, remote: "origin", mayBegin: async () => true }),
    async at(when: "session start" | "turn end") {
      await between(when)
      await Promise.all(begun)
    },
  }
}
