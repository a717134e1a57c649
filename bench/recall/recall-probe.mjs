// Times recall on a filled store, in a process that has done nothing before. Prints one line of JSON.
// usage: recall-probe.mjs <project>
import { randomUUID } from "node:crypto"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { recall } from "../../build/knowledge/recall/recall.js"
import { openFileStore } from "../../build/store/file-store.js"
import { watchBlocks } from "../block-watch.mjs"
import { mem, words } from "./recall-texts.mjs"

const [project] = process.argv.slice(2)
const by = { tool: "bench", session: null, agent: null }
setFlagsFromString("--expose-gc")
const gc = runInNewContext("gc")

const store = openFileStore(project, {
  source: { now: Date.now, newId: randomUUID },
  leaving: () => [],
  onBackgroundError: (error) => {
    throw error
  },
})
await store.ready()
const hive = { store }
const before = used()
const watch = watchBlocks()
const build_ms = await timed("build", words(5))
const index_mb = (used() - before) / 1e6
// What is run for the first time is not compiled yet, and the files are not in memory.
const first = []
for (let n = 0; n < 20; n++) first.push(await timed("warm", words(3 + (n % 6))))
const times = []
for (let n = 0; n < 200; n++) times.push(await timed("warm", words(3 + (n % 6))))
times.sort((a, b) => a - b)
await store.append(by, (tx) => tx.add("mem", { ...mem(), content: "the zyzzyva of the parser" }))
const after_save_ms = await timed("after_save", "zyzzyva")
watch.stop()
await store.close()
const { found, busiest } = watch
console.log(
  JSON.stringify({
    build_ms,
    build_block_ms: busiest.build,
    build_late_ms: found.build_block,
    index_mb,
    first_worst_ms: Math.max(...first),
    warm_p50_ms: times[100],
    warm_p99_ms: times[197],
    warm_block_ms: busiest.warm,
    warm_late_ms: found.warm_block,
    after_save_ms,
  }),
)

/** How long it took, without the time in which other programs had the processor. */
function timed(name, query) {
  return watch.timed(name, async () => {
    const started = clocks()
    await recall(hive, query)
    const ended = clocks()
    return Math.min(ended.wall - started.wall, ended.cpu - started.cpu)
  })
}

function clocks() {
  const { user, system } = process.cpuUsage()
  return { wall: performance.now(), cpu: (user + system) / 1000 }
}

function used() {
  gc()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}
