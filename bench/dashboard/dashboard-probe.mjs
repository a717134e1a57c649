// Asks a dashboard's server in a fresh process for each of its views, at a large graph, while another process writes to the same
// hive. Prints one line of JSON: per view the time, the bytes, and the longest block of the server's event loop.
// usage: dashboard-probe.mjs <project> <tasks> <mems>

import { routes } from "../../build/dashboard/routes.js"
import { openHiveIn } from "../../build/hive/open.js"
import { createPlan } from "../../build/work/plan/create.js"
import { planTasks } from "../../build/work/plan/plan-tasks.js"
import { watchBlocks } from "../block-watch.mjs"

const [project, tasks, mems] = process.argv.slice(2)
const open = () =>
  openHiveIn(project, {
    source: { now: Date.now, newId: () => crypto.randomUUID() },
    userConfig: null,
    options: { name: "bench", value: {} },
  })
const caller = { session: "ses_1", agent: "build", tool: "bench" }
const { hive: writer } = await open()
const { plan } = await createPlan(writer, caller, { title: "Everything", acceptance: ["done"] })
for (let n = 0; n < Number(tasks); n += 50) {
  const some = Array.from({ length: 50 }, (_, k) => ({
    title: `Task ${n + k}: move the ${words(n + k)} module`,
    expected_output: "it is moved",
    depends_on: k === 0 ? [] : [`#${k - 1}`],
  }))
  await planTasks(writer, caller, plan.id, some)
}
const at = new Date().toISOString()
for (let n = 0; n < Number(mems); n += 500) {
  await writer.store.append({ tool: "bench", session: null, agent: null }, (tx) => {
    for (let k = n; k < n + 500; k++)
      tx.add("mem", {
        ...{
          id: crypto.randomUUID(),
          origin_task_id: null,
          session_id: null,
          shelf: "context",
          origin: "saved",
        },
        ...{
          kind: "insight",
          status: "active",
          content: `The ${words(k)} of part ${k} is kept in ${words(k * 7)}`,
        },
        ...{ tags: [], evidence: [], confidence: 1, resolved: null, supersedes: null, parent_mem_id: null },
        ...{
          related_to: [],
          reason: null,
          stale_at: null,
          branch: null,
          created_at: at,
          updated_at: at,
          stamp: "000001012026",
        },
      })
  })
}
await writer.store.close()

const { hive } = await open()
await hive.store.ready()
const blocks = watchBlocks()
const bytes = {}
const asked = {
  now: "/api/now",
  "all plans": "/api/plans",
  "a plan with all its tasks": `/api/plan?id=${plan.id}`,
  "the newest mems": "/api/memory",
  "recall, the first time": "/api/memory?q=harbour",
  "recall as one types": "/api/memory?q=harbour+ferry",
  "the timeline": "/api/timeline",
  health: "/api/health",
}
for (const [name, path] of Object.entries(asked)) {
  const { pathname, searchParams } = new URL(path, "http://127.0.0.1")
  await blocks.timed(name, async () => {
    bytes[name] = JSON.stringify(await routes[pathname](hive, searchParams)).length
  })
}
blocks.stop()
await hive.store.close()
console.log(JSON.stringify({ found: blocks.found, bytes }))

function words(n) {
  const known = [
    "harbour",
    "ferry",
    "ticket",
    "engine",
    "lantern",
    "captain",
    "anchor",
    "island",
    "signal",
    "cargo",
  ]
  return `${known[n % 10]} ${known[Math.floor(n / 10) % 10]}`
}
