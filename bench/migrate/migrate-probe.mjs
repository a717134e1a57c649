// Times the migration of a project in a fresh process. Prints one line of JSON.
// usage: migrate-probe.mjs <project>

import { openHiveIn } from "../../build/hive/open.js"
import { migrate } from "../../build/migrate/migrate.js"
import { watchBlocks } from "../block-watch.mjs"

const [project] = process.argv.slice(2)
const source = { now: Date.now, newId: () => crypto.randomUUID() }
const { hive } = await openHiveIn(project, {
  source,
  userConfig: null,
  options: { name: "bench", value: {} },
})
const before = process.memoryUsage().rss
const { timed, found, busiest, stop } = watchBlocks()
let progress = 0
const { report } = await timed("migrate", () => migrate(hive, { onProgress: () => progress++ }))
stop()
const used = process.cpuUsage()
await hive.store.close()

console.log(
  JSON.stringify({
    ms: found.migrate,
    processor_ms: (used.user + used.system) / 1000,
    busiest: busiest.migrate,
    taken: report.sources.taken,
    progress,
    // In KiB on Linux.
    memory_mb: (process.resourceUsage().maxRSS * 1024 - before) / 2 ** 20,
  }),
)
