// Fills a store. In a process of its own: the one that measures starts with little memory, as a host does.
// usage: growth-fill.mjs <project> <mems> <hot: all | number>
import { openFileStore } from "../../build/store/file-store.js"
import { BY, fail, mem, SOURCE } from "./growth-records.mjs"

const [project, size, hot] = process.argv.slice(2)
const mems = Number(size)
const BATCH = 100
const leaving = (state) => (hot === "all" ? [] : [...state.mem.values()].slice(0, -Number(hot)))
const store = openFileStore(project, { source: SOURCE, leaving, onBackgroundError: fail })
for (let n = 0; n < mems; n += BATCH) {
  await store.append(BY, (tx) => {
    for (let k = n; k < Math.min(mems, n + BATCH); k++) tx.add("mem", mem(k))
  })
}
while ((await store.fold()).folded) {
  // Mems leave a few thousand at a time.
}
const { mem: kept } = store.read().state
console.log(JSON.stringify({ hot: kept.size, archived: store.archive.size() }))
await store.close()
