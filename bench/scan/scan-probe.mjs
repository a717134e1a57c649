// Times scans of a project in a fresh process. Prints one line of JSON.
// usage: scan-probe.mjs <project>

import { writeFileSync } from "node:fs"
import { openHiveIn } from "../../build/hive/open.js"
import { scanHive } from "../../build/knowledge/project/scan-hive.js"
import { createLayout } from "../../build/store/files/layout.js"
import { watchBlocks } from "../block-watch.mjs"

const [project] = process.argv.slice(2)
await createLayout(project)
const source = { now: Date.now, newId: () => crypto.randomUUID() }
const { hive } = await openHiveIn(project, {
  source,
  userConfig: null,
  options: { name: "bench", value: {} },
})
const caller = { session: null, agent: null, tool: "bench" }
const before = process.memoryUsage().rss
const { timed, found, busiest, stop } = watchBlocks()

const first = await timed("full", () => scanHive(hive, caller, "full"))
await timed("nothing changed", () => scanHive(hive, caller, "incremental"))
writeFileSync(`${project}/scan-probe.ts`, "export const probe = 1\n")
const last = await timed("one file changed", () => scanHive(hive, caller, "incremental"))
stop()
await hive.store.close()

console.log(
  JSON.stringify({
    found,
    busiest,
    files: first.map.files.count,
    notes: first.map.notes.length,
    mems: first.facts.made.length,
    drift: last.drift.added.length,
    // In KiB on Linux.
    memory_mb: (process.resourceUsage().maxRSS * 1024 - before) / 2 ** 20,
  }),
)
