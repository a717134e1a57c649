// Reads a hive again and again: with nothing new, and after a write by somebody else. Prints one line of JSON.
// usage: warm-probe.mjs <project>
import { openHive } from "../../dist/api.js"

const [project] = process.argv.slice(2)
const hive = await openHive(project)
const before = hive.read().state.mem.size
// A second store has descriptors and a state of its own: to the first it is what another process would be.
const other = await openHive(project)

const unchanged = []
for (let n = 0; n < 1000; n++) unchanged.push(timedRead())
const foreign = []
for (let n = 0; n < 200; n++) {
  await other.memory.save({
    content: `Written by somebody else, number ${n}. ${"Some words more. ".repeat(10)}`,
  })
  foreign.push(timedRead())
}
if (hive.read().state.mem.size !== before + foreign.length) throw new Error("a foreign write was not seen")
console.log(JSON.stringify({ unchanged_ms: median(unchanged), foreign_ms: median(foreign) }))
await other.close()
await hive.close()

function timedRead() {
  const started = performance.now()
  hive.read()
  return performance.now() - started
}

function median(values) {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)]
}
