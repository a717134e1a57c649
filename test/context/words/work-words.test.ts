import { expect, it } from "vitest"
import { isAsking } from "../../../src/context/words/asking.ts"
import { fitting } from "../../../src/context/words/fitting.ts"
import { fileHive } from "../../support/file-hive.ts"
import { aMem, by, uuid } from "../../support/records.ts"

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

it("a word of any conversation about code brings nothing back alone, and counts beside one of the subject", async () => {
  const hive = await fileHive()
  await hive.store.write(by, (tx) => {
    tx.add("mem", aMem(1, { content: "Catch errors of the socket in one place" }))
    tx.add("mem", aMem(2, { content: "A comment above each migration says why it is safe" }))
    tx.add("mem", aMem(3, { content: "Uploads fail behind the proxy of the office" }))
    for (let n = 4; n < 200; n++) tx.add("mem", aMem(n, { content: `Colour ${n + 1000} of the palette` }))
  })
  const found = async (text: string) =>
    (await fitting(hive, text, "message")).map((each) => ("mem" in each ? each.mem.id : ""))
  for (const text of [
    "good catch!",
    "add a comment there",
    "it does fail again",
    "put it above the other one",
  ])
    expect(await found(text), text).toEqual([])
  expect(await found("why is there a comment above a migration?")).toEqual([uuid(2)])
  expect(await found("do uploads fail for you too?")).toEqual([uuid(3)])
})

it("who asks gets what was decided, however many notes there are about the same thing", async () => {
  const hive = await fileHive()
  await hive.store.write(by, (tx) => {
    tx.add("mem", aMem(1, { content: "The puppetmaster stays in the first iteration", kind: "decision" }))
    for (let n = 2; n < 22; n++)
      tx.add("mem", aMem(n, { content: `Puppetmaster: puppetmaster restarted ${n}` }))
    for (let n = 22; n < 900; n++) tx.add("mem", aMem(n, { content: `Colour ${n + 1000} of the palette` }))
  })
  const found = async (text: string) =>
    (await fitting(hive, text, "message")).map((each) => ("mem" in each ? each.mem.id : ""))
  expect(await found("why do we keep a puppetmaster?")).toContain(uuid(1))
  expect(await found("why do we keep a palette?")).not.toContain(uuid(1))
})

it("a request with a question mark asks for nothing that is known", () => {
  for (const text of [
    "why redis?",
    "how do we log in",
    "Warum nehmen wir Redis?",
    "remind me of the cache",
    "なぜRedis?",
  ])
    expect(isAsking(text), text).toBe(true)
  for (const text of [
    "could you check that?",
    "it was broken",
    "let me know when you are ready",
    "add a comment",
  ])
    expect(isAsking(text), text).toBe(false)
})
