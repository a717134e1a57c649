// A fresh process that opens a hive and reads it. Writes nothing to it; prints one line of JSON.
// usage: cold-probe.mjs <project>
import { readFileSync } from "node:fs"

const [project] = process.argv.slice(2)
const empty_mb = peakMemory()

const started = performance.now()
const { openHive } = await import("../../dist/api.js")
const imported = performance.now()
const imported_mb = peakMemory()

const opening = performance.now()
const hive = await openHive(project)
const { state } = hive.read()
const loaded = performance.now()

const import_ms = imported - started
const cold_ms = loaded - opening
const loaded_mb = peakMemory()
console.log(JSON.stringify({ mems: state.mem.size, import_ms, cold_ms, empty_mb, imported_mb, loaded_mb }))
await hive.close()

/** Peak memory in MB. Linux counts the parent's peak into `maxRSS` of a child, so there its own record is read. */
function peakMemory() {
  if (process.platform !== "linux") return process.resourceUsage().maxRSS / 1024
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))[1]) / 1024
}
