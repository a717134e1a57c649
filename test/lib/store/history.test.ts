import { expect, it } from "vitest"
import { openFileStore } from "../../../src/lib/store/file-store.ts"
import { aPlan, by, countingSource, uuid } from "../../support/records.ts"
import { tempProject } from "../../support/temp-project.ts"

it("a clock that is set back over the end of a month changes neither the order of the log nor what it replays to", async () => {
  let ids = 100
  let now = Date.UTC(2026, 1, 11)
  const source = { now: () => now, newId: () => uuid(++ids) }
  const store = openFileStore(await tempProject(), { source })
  const write = (title: string) => store.write(by, (tx) => tx.set("plan", uuid(1), { title }))
  await store.write(by, (tx) => tx.add("plan", aPlan(1)))
  const titles = ["February", "back in January", "March", "back in February"]
  for (const [n, month] of [1, 0, 2, 1].entries()) {
    now = Date.UTC(2026, month, 12 + n)
    await write(titles[n] ?? "")
    await store.fold()
  }
  await store.fold() // The segment of a fold goes to the history with the next one.
  const told = store
    .log()
    .flatMap(({ ops }) => ops.flatMap((op) => (op.op === "set" ? [op.to["title"]] : [])))
  expect(told).toEqual(titles)
  expect(store.asOf(Date.UTC(2027, 0)).plan.get(uuid(1))?.title).toBe("back in February")
  expect(store.log("recent").length).toBeLessThan(store.log().length)
  await store.close()
})

it("a part of the log leaves out what the history has of others", async () => {
  const store = openFileStore(await tempProject(), { source: countingSource() })
  for (const session of ["ses_1", "ses_2", "ses_1", "ses_3", "ses_3"]) {
    await store.append({ ...by, session }, (tx) => tx.count(session, "calls"))
    await store.fold()
  }
  const { length: recent } = store.log("recent")
  const found = store
    .log({ since: "2026-02-01T00:00:00.000Z", naming: "ses_1" })
    .map(({ by: { session } }) => session)
  expect(found.slice(0, -recent)).toEqual(["ses_1", "ses_1"])
  expect(store.log({ since: "2026-03-01T00:00:00.000Z", naming: "ses_1" })).toHaveLength(recent)
  await store.close()
})
