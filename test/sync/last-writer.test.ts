import { expect, it } from "vitest"
import { openConflicts } from "../../src/graph/open-conflicts.ts"
import type { Hive } from "../../src/hive/hive.ts"
import { openHiveIn } from "../../src/hive/open.ts"
import { saveAnchor, updateAnchor } from "../../src/knowledge/anchor/anchors.ts"
import { saveMem } from "../../src/knowledge/memory/save.ts"
import { systemSource } from "../../src/shared/ids.ts"
import { syncHive } from "../../src/sync/sync.ts"
import { makeTeam } from "../support/team.ts"
import { tempProject } from "../support/temp-project.ts"

const CALLER = { session: null, agent: null, tool: "test" }
const T0 = Date.UTC(2026, 0, 1)

/** Two clones, and one clock by which both write. */
async function twoClones() {
  const { anna, bert } = makeTeam(await tempProject())
  const time = { now: T0 }
  const open = async (dir: string): Promise<Hive> => {
    const source = { ...systemSource, now: () => time.now }
    const options = { name: "the test", value: undefined }
    return (await openHiveIn(dir, { source, userConfig: null, options })).hive
  }
  const sync = ({ store, dir }: Hive) =>
    syncHive({ store, dir, remote: "origin", mayBegin: async () => true })
  return { anna: await open(anna), bert: await open(bert), time, sync }
}

const value = ({ store }: Hive) =>
  [...store.read().state.anchor.values()].find(({ status }) => status === "active")?.value
const standing = ({ store }: Hive) =>
  openConflicts(store.read().state).map(({ kept, lost }) => [kept.fields["value"], lost.fields["value"]])

it.each(["saved anew in both", "changed in both"])(
  "an anchor that two clones set within seconds has the later value, even if the other wrote more before: %s",
  async (how) => {
    const { anna, bert, time, sync } = await twoClones()
    const isNew = how === "saved anew in both"
    if (!isNew) await saveAnchor(anna, CALLER, { key: "port", value: "8080", priority: "high" })
    await sync(anna)
    await sync(bert)
    const set = (hive: Hive, given: string) => {
      time.now += 1000
      const input = { key: "port", value: given, priority: "high" as const }
      return isNew ? saveAnchor(hive, CALLER, input) : updateAnchor(hive, CALLER, input)
    }
    // Who has written more used to count as the later one.
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
  const { anna, bert, time, sync } = await twoClones()
  await saveAnchor(anna, CALLER, { key: "port", value: "8080", priority: "high" })
  await sync(anna)
  await sync(bert)
  time.now -= 3_600_000
  await updateAnchor(bert, CALLER, { key: "port", value: "7070", priority: "high" })
  for (const hive of [bert, anna]) await sync(hive)
  expect([value(anna), value(bert), standing(anna)]).toEqual(["7070", "7070", []])
})
