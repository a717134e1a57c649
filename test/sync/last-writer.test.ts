import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { openConflicts } from "../../src/graph/open-conflicts.ts"
import type { Hive } from "../../src/hive/hive.ts"
import { saveAnchor, updateAnchor } from "../../src/knowledge/anchor/anchors.ts"
import { saveMem } from "../../src/knowledge/memory/save.ts"
import { systemSource } from "../../src/shared/ids.ts"
import { type OrderOutcome, runOrder } from "../support/clone-orders.ts"
import { trials } from "../support/effort.ts"
import { openProcess } from "../support/hive-at-work.ts"
import { makeTeam, sync } from "../support/team.ts"
import { tempProject } from "../support/temp-project.ts"

const CALLER = { session: null, agent: null, tool: "test" }
const T0 = Date.UTC(2026, 0, 1)

async function twoClones() {
  const { anna, bert } = makeTeam(await tempProject())
  const time = { now: T0 }
  const open = (dir: string) => openProcess(dir, {}, { ...systemSource, now: () => time.now })
  return { anna: await open(anna), bert: await open(bert), time }
}

const value = ({ store }: Hive) =>
  [...store.read().state.anchor.values()].find(({ status }) => status === "active")?.value
const standing = ({ store }: Hive) =>
  openConflicts(store.read().state).map(({ kept, lost }) => [kept.fields["value"], lost.fields["value"]])

it.each(["saved anew in both", "changed in both"])(
  "an anchor that two clones set within seconds has the later value, even if the other wrote more before: %s",
  async (how) => {
    const { anna, bert, time } = await twoClones()
    const isNew = how === "saved anew in both"
    if (!isNew) await saveAnchor(anna, CALLER, { key: "port", value: "8080", priority: "high" })
    await sync(anna)
    await sync(bert)
    const set = (hive: Hive, given: string) => {
      time.now += 1000
      const input = { key: "port", value: given, priority: "high" as const }
      return isNew ? saveAnchor(hive, CALLER, input) : updateAnchor(hive, CALLER, input)
    }
    // Regression: the clone with more entries used to win, instead of the later writer.
    for (const n of [1, 2, 3]) await saveMem(anna, CALLER, { content: `Note ${n} of Anna`, kind: "fact" })
    await set(anna, "9090")
    await set(bert, "7070")
    for (const hive of [anna, bert, anna]) await sync(hive)
    for (const hive of [anna, bert]) {
      expect(value(hive)).toBe("7070")
      expect(standing(hive)).toEqual([["7070", "9090"]])
    }
  },
)

it("who has seen the other's value and changes it wins, also with a clock that is behind", async () => {
  const { anna, bert, time } = await twoClones()
  await saveAnchor(anna, CALLER, { key: "port", value: "8080", priority: "high" })
  await sync(anna)
  await sync(bert)
  time.now -= 3_600_000
  await updateAnchor(bert, CALLER, { key: "port", value: "7070", priority: "high" })
  for (const hive of [bert, anna]) await sync(hive)
  expect([value(anna), value(bert), standing(anna)]).toEqual(["7070", "7070", []])
})

const ORDERS = trials(8, 1000)

it(`${ORDERS} random orders of writing, folding, syncing, cloning and merging among four clones: one graph`, async () => {
  const root = await tempProject()
  const seeds = Array.from({ length: ORDERS }, (_, n) => n + 1)
  const outcomes: OrderOutcome[] = []
  // Runs three orders at once, because most of the time is spent waiting for git.
  const lane = async () => {
    for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
      const dir = join(root, String(seed))
      mkdirSync(dir)
      const outcome = await runOrder(dir, seed, 20)
      expect(outcome, `seed ${seed}`).toMatchObject({ isEqual: true, unapplied: 0, gitTrouble: [] })
      outcomes.push(outcome)
    }
  }
  await Promise.all([lane(), lane(), lane()])
  expect(outcomes.some(({ conflicts }) => conflicts > 0)).toBe(true)
})
