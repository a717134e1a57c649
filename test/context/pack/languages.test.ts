import { encode as cl100k } from "gpt-tokenizer/encoding/cl100k_base"
import { encode as o200k } from "gpt-tokenizer/encoding/o200k_base"
import { describe, expect, it } from "vitest"
import { pack } from "../../../src/context/pack/pack.ts"
import { vocabularyOf } from "../../../src/shared/text/tokens.ts"
import { LANGUAGES } from "../../shared/text/languages.ts"
import { graphOf } from "../../support/graph.ts"
import { T0 } from "../../support/records.ts"

describe.each(Object.keys(LANGUAGES))("a block in %s", (language) => {
  it.each([
    ["gpt-5", (xml: string) => o200k(xml).length],
    ["gpt-4", (xml: string) => cl100k(xml).length],
    ["an unknown model", (xml: string) => Math.max(o200k(xml).length, cl100k(xml).length)],
  ])("keeps the budget of %s, and uses most of it", (model, count) => {
    const { state, head } = project(LANGUAGES[language] ?? [])
    for (const budget of [1000, 2000, 3750]) {
      const { xml } = pack(state, head, { now: T0, budget, vocabulary: vocabularyOf(model), more: "ask" })
      expect(count(xml)).toBeLessThanOrEqual(budget)
      expect(count(xml)).toBeGreaterThanOrEqual(budget * (budget < 2000 ? 0.5 : 0.58))
      expect(o200k(xml).length).toBeGreaterThanOrEqual(budget / 3)
    }
  })
})

function project(texts: readonly string[]) {
  const g = graphOf()
  const plan = g.plan(texts[0] ?? "")
  const phase = g.phase(plan, texts[1] ?? "")
  const task = g.task(phase, texts[2] ?? "", { status: "active" })
  for (let n = 0; n < 200; n++)
    g.mem(`${n}: ${texts[n % texts.length]}`, { origin_task_id: task.id, kind: "decision" })
  return { state: g.state, head: g.head(texts[3] ?? "", plan, phase, task) }
}
