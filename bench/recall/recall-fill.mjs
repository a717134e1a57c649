// Fills a store, most of it in the archive.
// usage: recall-fill.mjs <project> <mems> <hot>
import { randomUUID } from "node:crypto"
import { openFileStore } from "../../build/store/file-store.js"
import { mem } from "./recall-texts.mjs"

const [project, size, hot] = process.argv.slice(2)
const mems = Number(size)
const by = { tool: "bench", session: null, agent: null }
const store = openFileStore(project, {
  source: { now: Date.now, newId: randomUUID },
  leaving: (state) => [...state.mem.values()].slice(0, -Number(hot)),
  onBackgroundError: (error) => {
    throw error
  },
})
const BATCH = 100
for (let n = 0; n < mems; n += BATCH) {
  await store.append(by, (tx) => {
    for (let k = n; k < Math.min(mems, n + BATCH); k++) tx.add("mem", mem())
  })
}
while ((await store.fold()).folded) {
  // Mems leave a few thousand at a time.
}
console.log(JSON.stringify({ hot: store.read().state.mem.size }))
await store.close()
