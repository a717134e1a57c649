// A process that writes to a hive and prints the id of every write once it was acknowledged. Runs on Node and on Bun.
// usage: record-writer.mjs <project> <count | Infinity> <fold after bytes>
import { randomUUID } from "node:crypto"
import { openFileStore } from "../../build/store/file-store.js"

const [project, count, foldAfterBytes] = process.argv.slice(2)
const store = openFileStore(project, {
  source: { now: Date.now, newId: randomUUID },
  foldAfterBytes: Number(foldAfterBytes),
  onBackgroundError: (error) => process.stderr.write(`fold: ${error.stack}\n`),
})
const by = { tool: "writer", session: null, agent: null }

for (let n = 0; n < Number(count); n++) {
  const id = randomUUID()
  // Every fourth write takes the lock; the others go without it, as most do in a session.
  try {
    if (n % 4 === 3) await store.write(by, (tx) => tx.add("plan", plan(id)))
    else
      await store.append(by, (tx) => {
        tx.add("mem", mem(id))
        tx.count("ses_shared", "writes")
      })
    process.stdout.write(`${n % 4 === 3 ? "plan" : "mem"} ${id}\n`)
  } catch (error) {
    process.stderr.write(`rejected: ${error.stack}\n`)
  }
}
await store.close()

function made() {
  const at = new Date().toISOString()
  return { created_at: at, updated_at: at, stamp: "301411022026" }
}

function plan(id) {
  return {
    id,
    title: `Plan of ${process.pid}`,
    purpose: "work",
    acceptance: [],
    sot_document_path: null,
    depends_on: [],
    owned_by: null,
    status: "draft",
    reason: null,
    completed_at: null,
    ...made(),
  }
}

function mem(id) {
  return {
    id,
    origin_task_id: null,
    session_id: null,
    shelf: "context",
    origin: "saved",
    kind: "insight",
    status: "active",
    content: `Written by ${process.pid}. ${"Words to make it longer. ".repeat(8)}`,
    tags: [],
    evidence: [],
    confidence: 1,
    resolved: null,
    supersedes: null,
    related_to: [],
    reason: null,
    stale_at: null,
    ...made(),
  }
}
