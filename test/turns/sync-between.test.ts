import { rmSync } from "node:fs"
import { beforeEach, expect, it, onTestFinished, vi } from "vitest"
import { openHiveIn } from "../../src/hive/open.ts"
import { systemSource } from "../../src/shared/ids.ts"
import { LOG_REF } from "../../src/sync/ref.ts"
import { syncHive } from "../../src/sync/sync.ts"
import type { Step } from "../../src/turns/background.ts"
import { syncBetween } from "../../src/turns/sync-between.ts"
import { GIT_ENV, git } from "../support/git-repo.ts"
import { aMem, anAnchor, by, uuid } from "../support/records.ts"
import { makeTeam, type Team } from "../support/team.ts"
import { tempProject } from "../support/temp-project.ts"

let team: Team
beforeEach(async () => {
  for (const [name, value] of Object.entries(GIT_ENV)) vi.stubEnv(name, value)
  onTestFinished(() => void vi.unstubAllEnvs())
  team = makeTeam(await tempProject())
})

const refsOf = (dir: string) => git(dir, "for-each-ref", "--format=%(refname)", "refs/hivemind")
const logOf = (dir: string) => git(dir, "rev-parse", "--verify", "--quiet", LOG_REF)

it("manual: the log is kept in the repository after a turn that wrote, and goes nowhere", async () => {
  const anna = await member(team.anna, "manual")
  await anna.save(1)
  await anna.at("session start")
  expect(refsOf(team.anna)).toBe("")
  await anna.at("turn end")
  expect(refsOf(team.anna)).toContain(LOG_REF)
  expect(refsOf(team.remote)).toBe("")
})

it("at most once a minute, and not where nothing was written", async () => {
  const anna = await member(team.anna, "manual")
  await anna.save(1)
  await anna.at("turn end")
  const first = logOf(team.anna)
  await anna.save(2)
  anna.wait(59)
  await anna.at("turn end")
  expect(logOf(team.anna)).toBe(first)
  anna.wait(1)
  await anna.at("turn end")
  const second = logOf(team.anna)
  expect(second).not.toBe(first)
  anna.wait(60)
  const begun = anna.begun()
  await anna.at("turn end")
  expect([logOf(team.anna), anna.begun()]).toEqual([second, begun + 1])
  expect(anna.log).not.toHaveBeenCalled()
})

it("auto never sends the log to a remote for the first time", async () => {
  const anna = await member(team.anna, "auto")
  await anna.save(1)
  await anna.at("turn end")
  expect(refsOf(team.anna)).toContain(LOG_REF)
  expect(refsOf(team.remote)).toBe("")
})

it("auto brings and sends at a session's start and after a turn, and a toast says what came", async () => {
  const [anna, bert] = [await member(team.anna, "auto"), await member(team.bert, "auto")]
  await anna.save(1)
  await anna.begin()
  await bert.at("session start")
  expect(bert.toast.mock.calls).toEqual([["HiveMind: 1 entry of others"]])
  expect(bert.hive.store.read().state.mem.has(uuid(1))).toBe(true)
  await bert.save(2)
  bert.wait(60)
  await bert.at("turn end")
  expect(bert.toast).toHaveBeenCalledTimes(1)
  await anna.at("turn end")
  expect(anna.hive.store.read().state.mem.has(uuid(2))).toBe(true)
})

it("auto counts the conflicts that came", async () => {
  const [anna, bert] = [await member(team.anna, "auto"), await member(team.bert, "auto")]
  const key = (value: string) => ({ key: "DB", value })
  await anna.save(1)
  await anna.begin()
  await bert.at("session start")
  await anna.hive.store.write(by, (tx) => tx.add("anchor", anAnchor(5, key("Postgres"))))
  await bert.hive.store.write(by, (tx) => tx.add("anchor", anAnchor(6, key("MySQL"))))
  await anna.at("turn end")
  bert.wait(60)
  await bert.at("turn end")
  expect(bert.toast.mock.lastCall).toEqual(["HiveMind: 1 entry of others, 1 conflict"])
})

it("auto without a network is silent, and the log is kept here", async () => {
  const anna = await member(team.anna, "auto")
  await anna.save(1)
  await anna.begin()
  rmSync(team.remote, { recursive: true })
  await anna.save(2)
  const before = logOf(team.anna)
  await anna.at("turn end")
  expect(logOf(team.anna)).not.toBe(before)
  expect(anna.toast).not.toHaveBeenCalled()
  expect(anna.log.mock.calls.map(([level]) => level)).toEqual(["info"])
})

it("off, and outside git, nothing happens", async () => {
  const off = await member(team.anna, "off")
  const outside = await member(await tempProject(), "auto")
  for (const each of [off, outside]) {
    await each.save(1)
    await each.at("session start")
    await each.at("turn end")
    expect(each.begun()).toBe(0)
  }
})

async function member(dir: string, sync: "off" | "manual" | "auto") {
  let ms = Date.UTC(2026, 1, 11)
  const { hive } = await openHiveIn(dir, {
    source: { ...systemSource, now: () => ms },
    userConfig: null,
    options: { name: "the test", value: { sync } },
  })
  onTestFinished(() => hive.store.close())
  const [log, toast] = [vi.fn(), vi.fn(async (_message: string) => {})]
  let begun: Promise<unknown>[] = []
  let count = 0
  const later = (steps: readonly Step[]) => {
    count += steps.length
    begun = steps.map(([, run]) => run())
  }
  const between = syncBetween({ hive: async () => hive, log, toast }, later)
  return {
    hive,
    log,
    toast,
    begun: () => count,
    wait: (seconds: number) => {
      ms += seconds * 1000
    },
    save: (n: number) => hive.store.append(by, (tx) => tx.add("mem", aMem(n))),
    /** Somebody has said yes once. */
    begin: () => syncHive({ store: hive.store, dir, remote: "origin", mayBegin: async () => true }),
    async at(when: "session start" | "turn end") {
      await between(when)
      await Promise.all(begun)
    },
  }
}
