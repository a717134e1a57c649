import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { fitting } from "../../../src/context/words/fitting.ts"
import type { Hive } from "../../../src/hive/hive.ts"
import { recall } from "../../../src/knowledge/recall/recall.ts"
import { memoryHive } from "../../support/hive.ts"
import { aMem, by, uuid } from "../../support/records.ts"

interface Project {
  decisions: [text: string, question: string][]
  neutral: string[]
}

/** What four public projects have decided, in our words, and how a colleague would ask for it. */
const file = new URL("../../fixtures/recall/projects.json", import.meta.url)
const { projects }: { projects: Project[] } = JSON.parse(readFileSync(file, "utf8"))
const NOTES = 2000

describe.each(projects.map((project, n) => ({ n, ...project })))("project $n", ({ decisions, neutral }) => {
  it("what was decided is found by a question in other words, among notes that have its words", async () => {
    const hive = await filled(decisions)
    const late: string[] = []
    const missed: string[] = []
    for (const [n, [, question]] of decisions.entries()) {
      const hits = await recall(hive, question, { limit: 5 })
      if (!hits.some(({ mem }) => mem.id === uuid(n + 1))) late.push(question)
      const found = await fitting(hive, question, "message")
      if (!found.some((each) => "mem" in each && each.mem.id === uuid(n + 1))) missed.push(question)
    }
    expect(late.length / decisions.length, late.join("\n")).toBeLessThanOrEqual(0.1)
    expect(missed.length / decisions.length, missed.join("\n")).toBeLessThanOrEqual(0.1)
  })

  it("a request about other work brings nothing back", async () => {
    const hive = await filled(decisions)
    const wrong: string[] = []
    for (const text of neutral) if ((await fitting(hive, text, "message")).length > 0) wrong.push(text)
    expect(wrong.length / neutral.length, wrong.join("\n")).toBeLessThanOrEqual(0.05)
  })
})

/** Each note has words of several decisions, as in a project where everybody writes about the same things. */
async function filled(decisions: Project["decisions"]): Promise<Hive> {
  const words = decisions.flatMap(([text]) => text.match(/[\p{L}./]{4,}/gu) ?? [])
  const pick = (n: number) => words[n % words.length] ?? ""
  const hive = memoryHive()
  await hive.store.append(by, (tx) => {
    for (const [n, [content]] of decisions.entries())
      tx.add("mem", aMem(n + 1, { content, kind: "decision", resolved: true }))
    for (let n = 0; n < NOTES; n++) {
      const content = `${VERBS[n % VERBS.length]} ${pick(n * 7)} ${pick(n * 13 + 5)} for the ${pick(n * 31 + 11)} (#${n + 1000})`
      tx.add("mem", aMem(1000 + n, { content, kind: n % 3 === 0 ? "fact" : "insight" }))
    }
  })
  return hive
}

const VERBS = ["Fix", "Update", "Add", "Remove", "Refactor", "Bump", "Document", "Test"]
