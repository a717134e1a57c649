import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { type OrderOutcome, runOrder } from "../support/clone-orders.ts"
import { trials } from "../support/effort.ts"
import { tempProject } from "../support/temp-project.ts"

const ORDERS = trials(8, 1000)

it(`${ORDERS} random orders of writing, folding, syncing, cloning and merging among four clones: one graph`, async () => {
  const root = await tempProject()
  const seeds = Array.from({ length: ORDERS }, (_, n) => n + 1)
  const outcomes: OrderOutcome[] = []
  // Most of the time is spent waiting for git.
  const lane = async () => {
    for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
      const dir = join(root, String(seed))
      mkdirSync(dir)
      const outcome = await runOrder(dir, seed, 20)
      expect(outcome, `seed ${seed}`).toMatchObject({ isEqual: true, unapplied: 0, gitTrouble: [] })
      outcomes.push(outcome)
    }
  }
  await Promise.all([lane(), lane(), lane()])
  expect(outcomes.some(({ conflicts }) => conflicts > 0)).toBe(true)
})
