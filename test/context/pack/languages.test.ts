import { encode as cl100k } from "gpt-tokenizer/encoding/cl100k_base"
import { encode as o200k } from "gpt-tokenizer/encoding/o200k_base"
import { expect, it } from "vitest"
import { pack } from "../../../src/context/pack/pack.ts"
import { LANGUAGES } from "../../shared/text/languages.ts"
import { graphOf } from "../../support/graph.ts"
import { T0 } from "../../support/records.ts"

it.each(Object.keys(LANGUAGES))(
  "a block in %s keeps the budget, and uses most of what it counts",
  (language) => {
    const texts = LANGUAGES[language] ?? []
    const g = graphOf()
    const plan = g.plan(texts[0] ?? "")
    const phase = g.phase(plan, texts[1] ?? "")
    const task = g.task(phase, texts[2] ?? "", { status: "active" })
    for (let n = 0; n < 200; n++)
      g.mem(`${n}: ${texts[n % texts.length]}`, { origin_task_id: task.id, kind: "decision" })
    const head = g.head(texts[3] ?? "", plan, phase, task)
    for (const budget of [1000, 2000, 3750]) {
      const { xml, tokens } = pack(g.state, head, { now: T0, budget, more: "ask" })
      const used = Math.max(o200k(xml).length, cl100k(xml).length)
      expect(used).toBeLessThanOrEqual(budget)
      expect(used).toBeGreaterThanOrEqual(tokens * 0.6)
    }
  },
)
