import { expect, it } from "vitest"
import { openFileStore } from "../../../src/lib/store/file-store.ts"
import { aPlan, by, uuid } from "../../support/records.ts"
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
