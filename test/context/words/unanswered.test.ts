import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { fitting } from "../../../src/context/words/fitting.ts"
import type { Hive } from "../../../src/hive/hive.ts"
import { memoryHive } from "../../support/hive.ts"
import { aMem, by } from "../../support/records.ts"

type Decisions = [text: string, question: string][]
const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../fixtures/recall/${name}`, import.meta.url), "utf8"))
const lab: { decisions: Decisions; notes: Record<"things" | "events" | "causes", string[]> } =
  read("laboratory.json")
const { decisions: shop }: { decisions: Decisions } = read("why.json")
const { projects }: { projects: { decisions: Decisions }[] } = read("projects.json")

describe("asked why, of a project that has no answer", () => {
  // Before the share of a single word was looked at, half of them brought something back.
  it("few questions of other projects bring anything back", async () => {
    const hive = await holding(lab.decisions, 500)
    const asked = [shop, ...projects.map(({ decisions }) => decisions)].flat().map(([, question]) => question)
    const choices = asked.filter((question) => /\bwe\b/i.test(question))
    const wrong: string[] = []
    for (const question of choices)
      if ((await fitting(hive, question, "message")).length > 0) wrong.push(question)
    expect(choices.length).toBeGreaterThanOrEqual(50)
    expect(wrong.length / choices.length, wrong.join("\n")).toBeLessThanOrEqual(0.25)
  })

  it("an everyday word that it shares with a decision is not enough, and is where it is most of the question", async () => {
    const hive = await holding([
      ["Two people approve each release", ""],
      ["Support has read access to production", ""],
    ])
    for (const text of ["why do we require two factor login?", "why do we still support Internet Explorer?"])
      expect(await reasons(hive, text), text).toEqual([])
    expect(await reasons(hive, "why did we want two people to approve it?")).toHaveLength(1)
    expect(await reasons(hive, "why does support have access to production?")).toHaveLength(1)
  })
})

it("a word that is only nearly there is not enough, supports others, and says so", async () => {
  const hive = await holding([
    ["Units buffer two weeks in flash, because strikes stopped the ferries", ""],
    ["Payments run through Adyen with webhooks signed by its key", ""],
  ])
  for (const text of ["why did we choose Stripe?", "why do we have stripes?"])
    expect(await reasons(hive, text), text).toEqual([])
  expect(await reasons(hive, "why are Adyen webhoks signed?")).toEqual([
    "words: adyen, signed, webhoks ≈ webhooks",
  ])
})

it("asked why something is not there, the only mem that knows the word answers; a fault with it brings nothing", async () => {
  const hive = await holding([
    ["No ORM: sqlc generates from queries", ""],
    ["Humidity is not measured, the sensor is too dear", ""],
  ])
  for (const text of ["why is there no ORM?", "why is there no humidity?", "why is humidity missing?"])
    expect(await reasons(hive, text), text).toHaveLength(1)
  for (const text of ["why is there no coffee?", "why is the sensor page blank since the last upgrade?"])
    expect(await reasons(hive, text), text).toEqual([])
})

async function reasons(hive: Hive, text: string): Promise<string[]> {
  return (await fitting(hive, text, "message")).map(({ reason }) => reason)
}

async function holding(decisions: Decisions, notes = 200): Promise<Hive> {
  const hive = memoryHive()
  const pick = (list: string[], n: number) => list[n % list.length] ?? ""
  const { things, events, causes } = lab.notes
  await hive.store.append(by, (tx) => {
    for (const [n, [content]] of decisions.entries())
      tx.add("mem", aMem(n + 1, { content, kind: "decision" }))
    for (let n = 0; n < notes; n++) {
      const content = `${pick(things, n * 7)} ${pick(events, n * 4)} ${pick(causes, n * 11)} (${n})`
      tx.add("mem", aMem(1000 + n, { content, kind: n % 3 === 0 ? "fact" : "insight" }))
    }
  })
  return hive
}
