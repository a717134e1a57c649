import { expect, it } from "vitest"
import { fitting } from "../../../src/context/words/fitting.ts"
import { fileHive } from "../../support/file-hive.ts"
import { aMem, by } from "../../support/records.ts"

it("a rare word that any message may have, or a small number, brings nothing back", async () => {
  const hive = await fileHive()
  await hive.store.write(by, (tx) => {
    tx.add("mem", aMem(1, { content: "Images are resized in a worker, never on the main thread" }))
    tx.add("mem", aMem(2, { content: "The socket reconnects with backoff, at most 30 s" }))
    tx.add("mem", aMem(3, { content: "A 429 of the upstream is tried again" }))
    for (let n = 4; n < 200; n++) tx.add("mem", aMem(n, { content: `Colour ${n + 1000} of the palette` }))
  })
  const found = async (text: string) =>
    (await fitting(hive, text, "message")).map((found) => ("mem" in found ? found.mem.content : ""))
  for (const text of ["never mind", "push it to main", "I'll be back in 30 minutes", "that never worked"])
    expect(await found(text), text).toEqual([])
  expect(await found("what about the main thread?")).toHaveLength(1)
  expect(await found("why do we get a 429?")).toHaveLength(1)
})
