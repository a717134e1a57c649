// Asks for each view of a filled project in a fresh process. Prints one line of JSON: per view the time, the bytes, and the
// longest block of the server's event loop; and how often something was made or written in the store meanwhile, locks included.
// usage: answers-probe.mjs <project> <plan>

import { watch } from "node:fs"
import { join } from "node:path"
import { routes } from "../../build/dashboard/routes.js"
import { openHiveIn } from "../../build/hive/open.js"
import { watchBlocks } from "../block-watch.mjs"

const [project, plan] = process.argv.slice(2)
const { hive } = await openHiveIn(project, {
  source: { now: Date.now, newId: () => crypto.randomUUID() },
  userConfig: null,
  options: { name: "bench", value: {} },
})
await hive.store.ready()
let touched = 0
const watcher = watch(join(project, ".hivemind", "graph"), { recursive: true }, () => touched++)
const blocks = watchBlocks()
const bytes = {}
const asked = {
  now: "/api/now",
  "all plans": "/api/plans",
  "a plan with all its tasks": `/api/plan?id=${plan}`,
  "the newest mems": "/api/memory",
  "recall, the first time": "/api/memory?q=harbour",
  "recall as one types": "/api/memory?q=harbour+ferry",
  "the timeline": "/api/timeline",
  health: "/api/health",
}
for (const [name, path] of Object.entries(asked)) {
  const { pathname, searchParams } = new URL(path, "http://127.0.0.1")
  await blocks.timed(name, async () => {
    bytes[name] = JSON.stringify(await routes[pathname](hive, searchParams)).length
  })
}
blocks.stop()
// What was told of last comes a moment later.
await new Promise((resolve) => setTimeout(resolve, 200))
watcher.close()
await hive.store.close()
console.log(JSON.stringify({ found: blocks.found, bytes, touched }))
