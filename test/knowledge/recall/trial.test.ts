import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { recall } from "../../../src/knowledge/recall/recall.ts"
import type { Mem } from "../../../src/schemas/knowledge.ts"
import { memoryHive } from "../../support/hive.ts"
import { aMem, by } from "../../support/records.ts"

interface Trial {
  mems: (Pick<Mem, "content" | "kind" | "tags" | "evidence"> & { key: string })[]
  questions: { text: string; answer: string }[]
}

const file = new URL("../../fixtures/recall/trial.json", import.meta.url)
const trial: Trial = JSON.parse(readFileSync(file, "utf8"))

it("finds decisions by differently worded questions: all of them, and four of five as the first hit", async () => {
  const hive = memoryHive()
  const keys = new Map<string, string>()
  await hive.store.append(by, (tx) => {
    for (const [n, { key, ...mem }] of trial.mems.entries()) keys.set(tx.add("mem", aMem(n + 1, mem)).id, key)
  })
  const missed: string[] = []
  const later: string[] = []
  for (const { text, answer } of trial.questions) {
    const place = (await recall(hive, text, { limit: 5 })).findIndex(({ mem }) => keys.get(mem.id) === answer)
    if (place < 0) missed.push(text)
    else if (place > 0) later.push(text)
  }
  expect(trial.questions.length).toBeGreaterThanOrEqual(40)
  expect(missed).toEqual([])
  expect(later.length, later.join("\n")).toBeLessThanOrEqual(trial.questions.length / 5)
})
