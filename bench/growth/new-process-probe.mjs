// Opens a filled hive in a process that has done nothing before, and times the first call of each kind. Prints one line of
// JSON. usage: new-process-probe.mjs <project> <recall | history>
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { recall } from "../../build/knowledge/recall/recall.js"
import { openFileStore } from "../../build/store/file-store.js"
import { threadTimes, watchBlocks } from "../block-watch.mjs"
import { mem, words } from "../recall/recall-texts.mjs"
import { BY, fail, SOURCE } from "./growth-records.mjs"

const [project, what] = process.argv.slice(2)
setFlagsFromString("--expose-gc")
const gc = runInNewContext("gc")
gc()
const empty = process.memoryUsage().rss
const { found, timed, stop } = watchBlocks()
const store = openFileStore(project, { source: SOURCE, onBackgroundError: fail })
await call("open", () => store.ready())
if (what === "recall") {
  await call("recall", () => recall({ store }, words(5)))
  gc()
  found.memory_mb = (process.memoryUsage().rss - empty) / 1e6
  for (let n = 0; n < 20; n++) await call("later_recall", () => recall({ store }, words(3 + (n % 6))))
} else {
  await call("log", () => store.log({ limit: 5 }))
  const { entry } = await store.append(BY, (tx) => tx.add("mem", mem()))
  await call("undo", () => store.undo(entry.id, BY))
  await call("as_of", () => store.asOf(Date.parse(entry.at)))
  gc()
  found.memory_mb = (process.memoryUsage().rss - empty) / 1e6
}
await store.close()
stop()
console.log(JSON.stringify(found))

/** Its time is without that in which other programs had the processor; of several, the worst. */
async function call(name, job) {
  let took = 0
  await timed(name, async () => {
    const started = performance.now()
    const before = threadTimes().waited
    await job()
    took = performance.now() - started - (threadTimes().waited - before)
  })
  const key = `${name}_ms`
  found[key] = Math.max(found[key] ?? 0, took)
}
