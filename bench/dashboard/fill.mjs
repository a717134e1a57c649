// Fills a project with a plan of so many tasks in chains of fifty, and so many mems. Prints the plan's id as JSON.
// usage: fill.mjs <project> <tasks> <mems>

import { openHiveIn } from "../../build/hive/open.js"
import { createLayout } from "../../build/store/files/layout.js"
import { createPlan, planTasks } from "../../build/work/plan/create.js"

const [project, tasks, mems] = process.argv.slice(2)
await createLayout(project)
const { hive } = await openHiveIn(project, {
  source: { now: Date.now, newId: () => crypto.randomUUID() },
  userConfig: null,
  options: { name: "bench", value: {} },
})
const caller = { session: "ses_1", agent: "build", tool: "bench" }
const { plan } = await createPlan(hive, caller, { title: "Everything", acceptance: ["done"] })
for (let n = 0; n < Number(tasks); n += 50) {
  const some = Array.from({ length: 50 }, (_, k) => ({
    title: `Task ${n + k}: move the ${words(n + k)} module`,
    expected_output: "it is moved",
    depends_on: k === 0 ? [] : [`#${Math.floor((k - 1) / 2)}`],
  }))
  await planTasks(hive, caller, plan.id, some)
}
const at = new Date().toISOString()
for (let n = 0; n < Number(mems); n += 500) {
  await hive.store.append({ tool: "bench", session: null, agent: null }, (tx) => {
    for (let k = n; k < Math.min(n + 500, Number(mems)); k++) tx.add("mem", mem(k))
  })
}
await hive.store.fold()
await hive.store.close()
console.log(JSON.stringify({ plan: plan.id }))

function mem(k) {
  return {
    ...{ id: crypto.randomUUID(), origin_task_id: null, session_id: null, shelf: "context", origin: "saved" },
    ...{ kind: "insight", status: "active", tags: [], evidence: [], confidence: 1, resolved: null },
    content: `The ${words(k)} of part ${k} is kept in ${words(k * 7)}`,
    ...{ supersedes: null, parent_mem_id: null, related_to: [], reason: null, stale_at: null, branch: null },
    ...{ created_at: at, updated_at: at, stamp: "000001012026" },
  }
}

function words(n) {
  const known = "harbour ferry ticket engine lantern captain anchor island signal cargo".split(" ")
  return `${known[n % 10]} ${known[Math.floor(n / 10) % 10]}`
}
