// Times the queue of commands on a filled project. Prints one line of JSON: milliseconds, and the longest time in one go.
// usage: queue-probe.mjs <project> <commands>
import { appendFileSync } from "node:fs"
import { openHiveIn } from "../../build/hive/open.js"
import { saveMem } from "../../build/knowledge/memory/save.js"
import { drain, enqueue } from "../../build/queue/queue.js"
import { hivePaths } from "../../build/store/files/layout.js"
import { watchBlocks } from "../block-watch.mjs"

const [project, given] = process.argv.slice(2)
const commands = Number(given)
const source = { now: Date.now, newId: () => crypto.randomUUID() }
const { hive } = await openHiveIn(project, {
  source,
  userConfig: null,
  options: { name: "bench", value: {} },
})
const watch = watchBlocks()
const content = (n) => `Command ${n} says that the port is ${3000 + n}`
// Warm, and for comparison.
await watch.timed("saved", async () => {
  for (let n = 0; n < commands; n++)
    await saveMem(hive, { session: null, agent: null, tool: "bench" }, { content: content(n) })
})
await watch.timed("nothing", () => drain(hive))
await watch.timed("one", async () => {
  await enqueue(hive, "bench", { do: "save_mem", content: content(0) })
  await drain(hive)
})
const at = new Date().toISOString()
const lines = Array.from({ length: commands }, (_, n) =>
  JSON.stringify({ id: source.newId(), at, from: "bench", command: { do: "save_mem", content: content(n) } }),
)
appendFileSync(hivePaths(hive.home).queue, lines.map((line) => `\n${line}\n`).join(""))
await watch.timed("drained", async () => {
  for (let some = 1; some > 0; ) some = (await drain(hive)).applied
})
watch.stop()
await hive.store.close()
process.stdout.write(JSON.stringify({ times: watch.found, busiest: watch.busiest }))
