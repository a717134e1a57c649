import { mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { type OrderOutcome, runOrder } from "../../test/support/clone-orders.ts"
import { count } from "../figures.ts"
import type { Bench, Findings, Section } from "../section.ts"

/** Whether clones that write, fold, sync and merge in any order come to the same graph. */
export const clonesSection: Section = { name: "clones", title: "Four clones with stock git", run }

async function run(bench: Bench): Promise<Findings> {
  const orders = bench.isQuick ? 20 : ORDERS
  const root = bench.folder()
  const outcomes: OrderOutcome[] = []
  const lane = async (from: number) => {
    for (let seed = from; seed <= orders; seed += LANES) {
      const dir = join(root, String(seed))
      mkdirSync(dir)
      outcomes.push(await runOrder(dir, SEED + seed, STEPS))
      rmSync(dir, { recursive: true, force: true })
      if (outcomes.length % 50 === 0) bench.progress(`${outcomes.length} of ${orders} orders`)
    }
  }
  await Promise.all(Array.from({ length: LANES }, (_, n) => lane(n + 1)))
  const sum = (of: (outcome: OrderOutcome) => number) => outcomes.reduce((total, each) => total + of(each), 0)
  const different = sum(({ isEqual }) => (isEqual ? 0 : 1))
  const unapplied = sum((each) => each.unapplied)
  const trouble = sum(({ gitTrouble }) => gitTrouble.length)
  return {
    table: {
      head: [
        "orders",
        "entries",
        "settled by a rule",
        "graphs that differ",
        "entries unapplied",
        "conflicts of git's",
      ],
      rows: [
        [
          orders,
          sum(({ entries }) => entries),
          sum(({ conflicts }) => conflicts),
          different,
          unapplied,
          trouble,
        ].map(count),
      ],
    },
    bars: [
      { what: "orders after which the graphs differ", value: different, unit: "", atMost: 0 },
      { what: "entries unapplied", value: unapplied, unit: "", atMost: 0 },
      { what: "conflicts of git's", value: trouble, unit: "", atMost: 0 },
    ],
    notes: [
      `Each order: ${STEPS} steps (write, fold, sync, commit and pull, delete the hive and bring it back) in four clones of a bare repository, then all sync.`,
    ],
    figures: { orders, entries: sum(({ entries }) => entries), different, unapplied, git_conflicts: trouble },
  }
}

const ORDERS = 1000
const STEPS = 20
const LANES = 4
// Other orders than those of the tests.
const SEED = 10_000
