// Times what the ledger of answers costs, in a fresh process with as many answers on disk. Prints one line of JSON: per
// operation the time and the longest block of the event loop.
// usage: cost-probe.mjs <project> <answers>

import { openHiveIn } from "../../build/hive/open.js"
import { ledgerOf, spentOnTask } from "../../build/views/lists/costs.js"
import { updateSession } from "../../build/work/focus/update.js"
import { watchBlocks } from "../block-watch.mjs"

const [project, answers] = process.argv.slice(2)
const open = () =>
  openHiveIn(project, {
    source: { now: Date.now, newId: () => crypto.randomUUID() },
    userConfig: null,
    options: { name: "bench", value: {} },
  })
const caller = { session: "ses_1", agent: "build", tool: "bench" }
const { hive: first } = await open()
const { task } = await updateSession(first, caller, { level: "action", content: "Count" })
const answer = (n) => ({
  at: new Date(Date.UTC(2026, n % 3, 1 + (n % 27))).toISOString(),
  message: `msg_${n}`,
  session: `ses_${n % 40}`,
  parent: null,
  agent: "build",
  model: "bench/model",
  task: n % 2 === 0 ? task.id : null,
  plan: n % 2 === 0 ? task.parent_plan_id : null,
  delegation: null,
  ...{ input: 1000, cache_write: 0, cache_read: 50_000, output: 300, reasoning: 0, cost: 0.01 },
})
const added = []
for (let n = 0; n < Number(answers); n++) {
  const started = performance.now()
  first.usage.add(answer(n))
  added.push(performance.now() - started)
}
await first.store.close()

const { hive } = await open()
const blocks = watchBlocks()
await blocks.timed("the first look at all", () => ledgerOf(hive))
hive.usage.add(answer(Number(answers)))
await blocks.timed("a look after one more", () => ledgerOf(hive))
await blocks.timed("what a task took", () => spentOnTask(hive, task.id))
blocks.stop()
await hive.store.close()
console.log(JSON.stringify({ found: blocks.found, added }))
