// A fresh clone takes in all that a remote has, then one entry more, and then there is nothing new. Prints one line of JSON.
// usage: remote-probe.mjs <project with a remote "origin">
import { leavingMems } from "../../build/graph/mem-status.js"
import { openFileStore } from "../../build/store/file-store.js"
import { syncHive } from "../../build/sync/sync.js"
import { watchBlocks } from "../block-watch.mjs"
import { BY, fail, mem, SOURCE } from "../growth/growth-records.mjs"

const [project] = process.argv.slice(2)
const { found, timed, stop } = watchBlocks()
const store = openFileStore(project, { source: SOURCE, leaving: leavingMems, onBackgroundError: fail })
let peak = 0
const onProgress = () => {
  peak = Math.max(peak, process.memoryUsage().rss)
}
const sync = () => syncHive({ store, dir: project, remote: "origin", mayBegin: async () => true, onProgress })

found.brought = (await timed("first", sync)).brought
found.memory_mb = Math.max(peak, process.memoryUsage().rss) / 1e6
while ((await store.fold()).folded) {
  // Mems leave a few thousand at a time.
}
// The first after that walks over what was brought, to see what of the log is its own.
await sync()
await timed("nothing", sync)
await store.append(BY, (tx) => tx.add("mem", mem(0)))
await timed("one", sync)
found.known = store.read().state.mem.size + store.archive.size()
await store.close()
stop()
console.log(JSON.stringify(found))
