// Fills a store, most of it in the archive, and times recall. Prints one line of JSON.
// usage: recall-probe.mjs <project> <mems> <hot>
import { randomUUID } from "node:crypto"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { recall } from "../../dist/knowledge/recall/recall.js"
import { openFileStore } from "../../dist/store/file-store.js"

const [project, size, hot] = process.argv.slice(2)
const mems = Number(size)
const by = { tool: "bench", session: null, agent: null }
const source = { now: Date.now, newId: randomUUID }
const leaving = (state) => [...state.mem.values()].slice(0, -Number(hot))
const fail = (error) => {
  throw error
}
const open = () => openFileStore(project, { source, leaving, onBackgroundError: fail })
setFlagsFromString("--expose-gc")
const gc = runInNewContext("gc")

const BATCH = 100
const random = randomFrom(1)
const vocabulary = makeVocabulary(40_000)
let block = 0
let last = clocks()
// A timer that comes late shows how long something else held the loop. Time in which other programs had the processor is
// not ours: what this process has used of it counts.
const timer = setInterval(() => {
  const now = clocks()
  block = Math.max(block, Math.min(now.wall - last.wall, now.cpu - last.cpu) - 1)
  last = now
}, 1)

let store = open()
for (let n = 0; n < mems; n += BATCH) {
  await store.append(by, (tx) => {
    for (let k = n; k < Math.min(mems, n + BATCH); k++) tx.add("mem", mem())
  })
}
while ((await store.fold()).folded) {
  // Mems leave a few thousand at a time.
}
await store.close()

store = open()
await store.ready()
const hive = { store }
const found = { hot: store.read().state.mem.size }
const before = used()
await pause()
const built = await timed(() => recall(hive, words(5)))
found.build_ms = built.ms
found.build_block_ms = built.block
found.index_mb = (used() - before) / 1e6
const times = []
let longest = 0
for (let n = 0; n < 200; n++) {
  const query = words(3 + (n % 6))
  const { ms, block: held } = await timed(() => recall(hive, query))
  times.push(ms)
  longest = Math.max(longest, held)
}
times.sort((a, b) => a - b)
found.warm_p50_ms = times[100]
found.warm_p99_ms = times[197]
found.warm_block_ms = longest
await store.append(by, (tx) => tx.add("mem", { ...mem(), content: "the zyzzyva of the parser" }))
const fresh = await timed(() => recall(hive, "zyzzyva"))
found.after_save_ms = fresh.ms
found.after_save_hits = fresh.result.length
clearInterval(timer)
await store.close()
console.log(JSON.stringify(found))

async function timed(job) {
  block = 0
  last = clocks()
  const started = last
  const result = await job()
  const ended = clocks()
  const ms = Math.min(ended.wall - started.wall, ended.cpu - started.cpu)
  await pause()
  return { ms, block, result }
}

function clocks() {
  const { user, system } = process.cpuUsage()
  return { wall: performance.now(), cpu: (user + system) / 1000 }
}

function pause() {
  return new Promise((resolve) => setTimeout(resolve, 2))
}

function used() {
  gc()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

/** Few words stand nearly everywhere and most hardly anywhere, as in every language. */
function words(count) {
  return Array.from({ length: count }, () => vocabulary[Math.floor(vocabulary.length ** random()) - 1]).join(
    " ",
  )
}

function makeVocabulary(count) {
  const syllables = "ka lo mi re tu sen dor vi pa ul ter ban qui os fra gil nex cor wy zed".split(" ")
  return Array.from({ length: count }, (_, n) => {
    let word = ""
    for (let rest = n + 20; rest > 0; rest = Math.floor(rest / 20)) word += syllables[rest % 20]
    return word
  })
}

/** mulberry32: small, and the same everywhere. */
function randomFrom(seed) {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

function mem() {
  const at = new Date().toISOString()
  return {
    id: randomUUID(),
    origin_task_id: null,
    session_id: null,
    shelf: "context",
    kind: "fact",
    status: "active",
    content: `${words(25)} src/${words(1)}/${words(1)}.ts`,
    tags: [words(1)],
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
