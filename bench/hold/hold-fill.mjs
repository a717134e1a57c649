// Fills a project with one plan of very many tasks.
// usage: hold-fill.mjs <project> <tasks>
import { randomUUID } from "node:crypto"
import { openFileStore } from "../../build/store/file-store.js"

const [project, size] = process.argv.slice(2)
const tasks = Number(size)
const by = { tool: "bench", session: null, agent: null }
const at = new Date().toISOString()
const made = { created_at: at, updated_at: at, stamp: "301411022026" }
const plan = randomUUID()
const phases = Array.from({ length: 20 }, () => randomUUID())
const ids = Array.from({ length: tasks }, () => randomUUID())

const store = openFileStore(project, { source: { now: Date.now, newId: randomUUID } })
await store.write(by, (tx) => {
  tx.add("plan", aPlan())
  for (const [order, id] of phases.entries()) tx.add("phase", aPhase(id, order))
})
for (let n = 0; n < tasks; n += 200)
  await store.write(by, (tx) => {
    for (let k = n; k < Math.min(tasks, n + 200); k++) tx.add("task", aTask(k))
  })
await store.write(by, (tx) => {
  for (const id of ids.slice(0, 20)) tx.add("checkpoint", aCheckpoint(id))
})
await store.fold()
await store.close()
console.log(JSON.stringify({ first: ids[0] }))

function aPlan() {
  return {
    id: plan,
    title: "A very long plan",
    purpose: "work",
    acceptance: [],
    sot_document_path: null,
    depends_on: [],
    owned_by: null,
    status: "active",
    reason: null,
    completed_at: null,
    summary: null,
    ...made,
  }
}

function aPhase(id, order) {
  return {
    id,
    parent_plan_id: plan,
    title: `Phase ${order}`,
    order,
    inbox: false,
    status: "active",
    summary: null,
    ...made,
  }
}

/** Every other task waits for the one before it. */
function aTask(n) {
  return {
    id: ids[n],
    parent_plan_id: plan,
    parent_phase_id: phases[Math.floor((n * phases.length) / tasks)],
    parent_task_id: null,
    type: "main",
    title: `Task ${n}: the parser refuses a token`,
    purpose: "work",
    expected_output: "it is accepted",
    status: "planned",
    depends_on: n % 2 === 1 ? [ids[n - 1]] : [],
    temporal_gate: null,
    delegated_by: null,
    assigned_to: null,
    assigned_session_id: null,
    allowed_tools: null,
    file_locks: [],
    verify: null,
    decisions: [],
    ahead: false,
    file: null,
    line: null,
    evidence: null,
    reason: null,
    started_at: null,
    completed_at: null,
    ...made,
  }
}

function aCheckpoint(task) {
  return {
    id: randomUUID(),
    task_id: task,
    session_id: null,
    tool: "bash",
    command: "npm test",
    files: [],
    removed: [],
    did: [],
    ok: true,
    summary: "it ran",
    ...made,
  }
}
