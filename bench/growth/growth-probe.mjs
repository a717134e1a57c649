// Fills a store and times its operations. Prints one line of JSON.
// usage: growth-probe.mjs <project> <mems> <hot: all | number>
import { randomUUID } from "node:crypto"
import { openFileStore } from "../../dist/store/file-store.js"

const [project, size, hot] = process.argv.slice(2)
const mems = Number(size)
const by = { tool: "bench", session: null, agent: null }
const source = { now: Date.now, newId: randomUUID }
const leaving = hot === "all" ? () => [] : (state) => [...state.mem.values()].slice(0, -Number(hot))
const open = () => openFileStore(project, { source, leaving, onBackgroundError: fail })

const BATCH = 100
let block = 0
let last = performance.now()
// A timer that comes late shows how long something else held the loop.
const timer = setInterval(() => {
  const now = performance.now()
  block = Math.max(block, now - last - 1)
  last = now
}, 1)

const found = {}
let store = open()
for (let n = 0; n < mems; n += BATCH) {
  await store.append(by, (tx) => {
    for (let k = n; k < Math.min(mems, n + BATCH); k++) tx.add("mem", mem(k))
  })
}
while ((await store.fold()).folded) {
  // Mems leave a few thousand at a time.
}
await store.close()
globalThis.gc?.()

store = open()
await timed("open", () => store.ready())
found.hot = store.read().state.mem.size
found.memory_mb = process.memoryUsage().rss / 1e6
const saves = []
for (let n = 0; n < 200; n++) {
  const started = performance.now()
  await store.append(by, (tx) => tx.add("mem", mem(mems + n)))
  saves.push(performance.now() - started)
}
saves.sort((a, b) => a - b)
found.save_p50 = saves[100]
found.save_p99 = saves[198]
const ids = [...store.read().state.mem.keys()].slice(0, 200)
await timed("ordered", () => store.write(by, (tx) => tx.set("mem", ids[0], { content: "changed" })))
for (const id of ids) await store.write(by, (tx) => tx.set("mem", id, { content: `changed ${id}` }))
await timed("fold", () => store.fold())
const [newest] = await timed("log", () => store.log({ limit: 1 }))
await timed("undo", () => store.undo(newest.id, by))
await timed("as_of", () => store.asOf(Date.now() - 1000))
clearInterval(timer)
await store.close()
console.log(JSON.stringify(found))

async function timed(name, job) {
  await new Promise((resolve) => setTimeout(resolve, 20))
  block = 0
  last = performance.now()
  const started = performance.now()
  const result = await job()
  found[name] = performance.now() - started
  await new Promise((resolve) => setTimeout(resolve, 5))
  found[`${name}_block`] = block
  return result
}

function mem(n) {
  const at = new Date().toISOString()
  return {
    id: randomUUID(),
    origin_task_id: null,
    session_id: null,
    shelf: "context",
    kind: "fact",
    status: "active",
    content: `Seen in step ${n}: the cache of the parser refuses the token, because the queue of the lock waits.`,
    tags: ["bench"],
    evidence: [],
    confidence: 1,
    origin: "saved",
    resolved: null,
    supersedes: null,
    related_to: [],
    reason: null,
    stale_at: null,
    created_at: at,
    updated_at: at,
    stamp: "301411022026",
  }
}

function fail(error) {
  throw error
}
