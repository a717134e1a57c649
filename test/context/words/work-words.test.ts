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
    "reason for redis?",
    "what made us drop the queue",
    "why is this a cookie?",
  ])
    expect(isAsking(text), text).toBe(true)
  for (const text of [
    "could you check that?",
    "it was broken",
    "let me know when you are ready",
    "add a comment",
    "what does this trace say?",
  ])
    expect(isAsking(text), text).toBe(false)
})

it("a note takes more than one word in common with a request; a decision and a name do not", async () => {
  const hive = await fileHive()
  await hive.store.write(by, (tx) => {
    tx.add("mem", aMem(1, { content: "The makefile has a target for docs" }))
    tx.add("mem", aMem(2, { content: "No tabs but in the Dockerfile", kind: "decision" }))
    tx.add("mem", aMem(3, { content: "parseStamp reads ten digits, too" }))
    for (let n = 4; n < 200; n++) tx.add("mem", aMem(n, { content: `Colour ${n + 1000} of the palette` }))
  })
  const found = async (text: string) =>
    (await fitting(hive, text, "message")).map((each) => ("mem" in each ? each.mem.id : ""))
  expect(await found("look at the makefile please")).toEqual([])
  expect(await found("look at the dockerfile please")).toEqual([uuid(2)])
  expect(await found("fix parseStamp")).toEqual([uuid(3)])
  expect(await found("what about the makefile?")).toEqual([uuid(1)])
})

it("who asks for the reason means the decision that has least of the words, and nobody's but the project's", async () => {
  const hive = await fileHive()
  await hive.store.write(by, (tx) => {
    tx.add(
      "mem",
      aMem(1, { content: "Java has a repository of its own, its tools want the root", kind: "decision" }),
    )
    tx.add("mem", aMem(2, { content: "Blank lines are kept, people group with them", kind: "decision" }))
    for (let n = 3; n < 30; n++) tx.add("mem", aMem(n, { content: `Java: monorepo build ${n} moved` }))
    for (let n = 30; n < 900; n++) tx.add("mem", aMem(n, { content: `Colour ${n + 1000} of the palette` }))
  })
  const found = async (text: string) =>
    (await fitting(hive, text, "message")).map((each) => ("mem" in each ? each.mem.id : ""))
  expect((await found("why did java leave the monorepo?"))[0]).toBe(uuid(1))
  expect(await found("why do we keep empty lines?")).toContain(uuid(2))
  expect(await found("why did you add those lines?")).toEqual([])
})
