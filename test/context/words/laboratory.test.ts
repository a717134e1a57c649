import { readFileSync } from "node:fs"
import { beforeAll, describe, expect, it } from "vitest"
import { fitting } from "../../../src/context/words/fitting.ts"
import type { Hive } from "../../../src/hive/hive.ts"
import type { Mem } from "../../../src/schemas/knowledge.ts"
import { memoryHive } from "../../support/hive.ts"
import { aMem, by, uuid } from "../../support/records.ts"

interface Laboratory {
  decisions: [text: string, question: string][]
  /** What people ask when something does not work; no mem knows. */
  symptoms: string[]
  neutral: string[]
  notes: { things: string[]; events: string[]; causes: string[] }
}

// Written when the rules were done, and measured once: the bars are those figures.
const laboratory: Laboratory = JSON.parse(
  readFileSync(new URL("../../fixtures/recall/laboratory.json", import.meta.url), "utf8"),
)

describe("in a project that no rule was made with", () => {
  let hive: Hive
  beforeAll(async () => {
    hive = await filled()
  })

  it("what was decided is found, also where the question sounds like a fault", async () => {
    const missed: string[] = []
    for (const [n, [, question]] of laboratory.decisions.entries()) {
      const found = await fitting(hive, question, "message")
      if (!found.some((each) => "mem" in each && each.mem.id === uuid(n + 1))) missed.push(question)
    }
    expect(laboratory.decisions.length).toBeGreaterThanOrEqual(60)
    expect(missed.length, missed.join("\n")).toBeLessThanOrEqual(4)
  })

  it("so is the only one of a project that has just begun", async () => {
    const missed: string[] = []
    for (const [content, question] of laboratory.decisions) {
      const young = memoryHive()
      await young.store.append(by, (tx) => tx.add("mem", aMem(1, { content, kind: "decision" })))
      if ((await fitting(young, question, "message")).length === 0) missed.push(question)
    }
    expect(missed.length, missed.join("\n")).toBeLessThanOrEqual(1)
  })

  it("a question after a fault that nobody knows brings nothing back", async () => {
    const wrong = await pulling(hive, laboratory.symptoms)
    expect(laboratory.symptoms.length).toBeGreaterThanOrEqual(30)
    expect(wrong.length, wrong.join("\n")).toBeLessThanOrEqual(4)
  })

  it("a message that asks for nothing brings nothing back", async () => {
    const wrong = await pulling(hive, laboratory.neutral)
    expect(laboratory.neutral.length).toBeGreaterThanOrEqual(30)
    expect(wrong).toEqual([])
  })
})

async function pulling(hive: Hive, messages: readonly string[]): Promise<string[]> {
  const wrong: string[] = []
  for (const text of messages) {
    const found = await fitting(hive, text, "message")
    if (found.length > 0) wrong.push(`${text} => ${found.map(({ reason }) => reason).join(" | ")}`)
  }
  return wrong
}

async function filled(): Promise<Hive> {
  const hive = memoryHive()
  const { things, events, causes } = laboratory.notes
  const pick = (list: string[], n: number) => list[n % list.length] ?? ""
  await hive.store.append(by, (tx) => {
    for (const [n, [content]] of laboratory.decisions.entries())
      tx.add("mem", aMem(n + 1, { content, kind: "decision", resolved: true }))
    for (let n = 0; n < 1900; n++) {
      const content = `${pick(things, n * 7)} ${pick(events, n * 4)} ${pick(causes, n * 11)}, as ${pick(things, n * 13 + 5)} (${n})`
      tx.add("mem", aMem(1000 + n, { content, kind: KINDS[n % KINDS.length] ?? "insight" }))
    }
  })
  return hive
}

const KINDS: Mem["kind"][] = ["insight", "fact", "decision", "insight", "false_path", "fact", "pattern"]
