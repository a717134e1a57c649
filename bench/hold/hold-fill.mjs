// Fills a project with one plan of very many tasks.
// usage: hold-fill.mjs <project> <tasks>
import { randomUUID } from "node:crypto"
import { openFileStore } from "../../build/store/file-store.js"
import * as records from "../../test/support/record-defaults.mjs"

const [project, size] = process.argv.slice(2)
const tasks = Number(size)
const by = { tool: "bench", session: null, agent: null }
const at = new Date().toISOString()
const made = { created_at: at, updated_at: at }
const plan = randomUUID()
const phases = Array.from({ length: 20 }, () => randomUUID())
const ids = Array.from({ length: tasks }, () => randomUUID())

const store = openFileStore(project, { source: { now: Date.now, newId: randomUUID } })
await store.write(by, (tx) => {
  tx.add("plan", { ...records.plan, id: plan, title: "A very long plan", ...made })
  for (const [order, id] of phases.entries())
    tx.add("phase", { ...records.phase, id, parent_plan_id: plan, title: `Phase ${order}`, order, ...made })
})
for (let n = 0; n < tasks; n += 200)
  await store.write(by, (tx) => {
    for (let k = n; k < Math.min(tasks, n + 200); k++) tx.add("task", aTask(k))
  })
await store.write(by, (tx) => {
  const ran = { tool: "bash", command: "npm test", files: [], summary: "it ran" }
  for (const task_id of ids.slice(0, 20))
    tx.add("checkpoint", { ...records.checkpoint, id: randomUUID(), task_id, ...ran, ...made })
})
await store.fold()
await store.close()
console.log(JSON.stringify({ first: ids[0] }))

/** Every other task waits for the one before it. */
function aTask(n) {
  return {
    ...records.task,
    id: ids[n],
    parent_plan_id: plan,
    parent_phase_id: phases[Math.floor((n * phases.length) / tasks)],
    title: `Task ${n}: the parser refuses a token`,
    expected_output: "it is accepted",
    depends_on: n % 2 === 1 ? [ids[n - 1]] : [],
    ...made,
  }
}
