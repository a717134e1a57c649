import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { asksAboutFault } from "../../../src/context/words/asking.ts"
import { fitting } from "../../../src/context/words/fitting.ts"
import type { Hive } from "../../../src/hive/hive.ts"
import type { Mem } from "../../../src/schemas/knowledge.ts"
import { memoryHive } from "../../support/hive.ts"
import { aMem, by, uuid } from "../../support/records.ts"

interface Symptoms {
  /** What people ask when something does not work; no mem knows. */
  unanswered: string[]
  known: [kind: Mem["kind"], text: string, question: string][]
}

const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../fixtures/recall/${name}`, import.meta.url), "utf8"))
const { unanswered, known }: Symptoms = read("symptoms.json")
const { decisions, noise } = read("why.json")

describe("a question after what goes wrong just now", () => {
  it("brings nothing back where it shares only the words of everyday work with what is known", async () => {
    const hive = await filled()
    const wrong: string[] = []
    for (const text of unanswered) if ((await fitting(hive, text, "message")).length > 0) wrong.push(text)
    expect(unanswered).toHaveLength(180)
    expect(wrong.length / unanswered.length, wrong.join("\n")).toBeLessThanOrEqual(0.05)
  })

  it("brings back what is known of the very thing, whatever kind of mem it is", async () => {
    const hive = await filled()
    const missed: string[] = []
    for (const [n, [, , question]] of known.entries()) {
      const found = await fitting(hive, question, "message")
      if (!found.some((each) => "mem" in each && each.mem.id === uuid(n + 1))) missed.push(question)
    }
    expect(missed.length / known.length, missed.join("\n")).toBeLessThanOrEqual(0.1)
  })

  it("is told from one after a choice", () => {
    for (const text of [
      "why is the build broken?",
      "why do we get a 429?",
      "Warum schlägt der Build fehl?",
      "how come it hangs?",
    ])
      expect(asksAboutFault(text), text).toBe(true)
    for (const text of [
      "why do we crash when a rule throws?",
      "why is an empty list rejected rather than ignored?",
      "why do I have to log in twice?",
      "why did the cache go away?",
      "why do the reports run overnight?",
      "why is the status page stale?",
      "the build is broken",
    ])
      expect(asksAboutFault(text), text).toBe(false)
  })
})

/** 2,000 mems of a project in which much has failed, been slow and empty. */
async function filled(): Promise<Hive> {
  const hive = memoryHive()
  await hive.store.append(by, (tx) => {
    for (const [n, [kind, content]] of known.entries()) tx.add("mem", aMem(n + 1, { content, kind }))
    for (const [n, [content]] of decisions.entries())
      tx.add("mem", aMem(n + 100, { content, kind: "decision" }))
    for (let n = 0; n < 1900; n++) {
      const pick = (list: string[], step: number) => list[(n * step) % list.length]
      const content = `${pick(noise.subjects, 7)} ${pick(noise.verbs, 3)} ${pick(noise.causes, 11)} (${n})`
      tx.add("mem", aMem(1000 + n, { content, kind: KINDS[n % KINDS.length] ?? "insight" }))
    }
  })
  return hive
}

const KINDS: Mem["kind"][] = ["insight", "fact", "decision", "insight", "false_path", "fact", "pattern"]
