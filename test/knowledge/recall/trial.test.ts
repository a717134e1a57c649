import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import type { Hive } from "../../../src/hive/hive.ts"
import { recall } from "../../../src/knowledge/recall/recall.ts"
import type { Mem } from "../../../src/schemas/knowledge.ts"
import { memoryHive } from "../../support/hive.ts"
import { aMem, by } from "../../support/records.ts"

interface Trial {
  mems: (Pick<Mem, "content" | "kind" | "tags" | "evidence"> & { key: string })[]
  questions: { text: string; answer: string }[]
  off_topic: string[]
}

const file = new URL("../../fixtures/recall/trial.json", import.meta.url)
const trial: Trial = JSON.parse(readFileSync(file, "utf8"))

async function filled(): Promise<{ hive: Hive; keys: Map<string, string> }> {
  const hive = memoryHive()
  const keys = new Map<string, string>()
  await hive.store.append(by, (tx) => {
    for (const [n, { key, ...mem }] of trial.mems.entries()) keys.set(tx.add("mem", aMem(n + 1, mem)).id, key)
  })
  return { hive, keys }
}

it("answers questions that are worded otherwise than the decision: none missed, four of five first", async () => {
  const { hive, keys } = await filled()
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

it("matches two words of a message only if it is about the mem", async () => {
  const { hive } = await filled()
  const isClear = async (text: string) =>
    (await recall(hive, text, { limit: 3 })).some(({ words }) => words.length >= 2)
  const clear = await Promise.all(trial.questions.map(({ text }) => isClear(text)))
  const wrong = await Promise.all(trial.off_topic.map(isClear))
  expect(trial.off_topic.filter((_, n) => wrong[n])).toEqual([])
  expect(clear.filter(Boolean).length / clear.length).toBeGreaterThanOrEqual(0.9)
})
