// Opens a filled store in a fresh process and times its operations. Prints one line of JSON.
// usage: growth-probe.mjs <project>
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { openFileStore } from "../../build/store/file-store.js"
import { watchBlocks } from "../block-watch.mjs"
import { BY, fail, mem, SOURCE } from "./growth-records.mjs"

const [project] = process.argv.slice(2)
const { found, timed, stop } = watchBlocks()
const store = openFileStore(project, { source: SOURCE, onBackgroundError: fail })

await timed("open", () => store.ready())
await timed("read", () => store.read().state.mem.by("in_force", "all").size)
found.memory_mb = process.memoryUsage().rss / 1e6
const opened = Date.now()
found.saves = await each(200, (n) => store.append(BY, (tx) => tx.add("mem", mem(n))))
const ids = [...store.read().state.mem.keys()].slice(0, 200)
found.ordered = await each(200, (n) =>
  store.write(BY, (tx) => tx.set("mem", ids[n], { content: `Changed at ${Date.now()}` })),
)
await timed("fold", () => store.fold())
const newest = await timed("log", () => store.log({ limit: 20 }))
await timed("undo", () => store.undo(newest.at(-1).id, BY))
await timed("as_of", () => store.asOf(opened))
const archived = store.archive.startingWith("", 1)[0]?.id
if (archived !== undefined)
  await timed("link", () => store.append(BY, (tx) => tx.add("mem", mem(0, { related_to: [archived] }))))
await store.close()

damagePart()
const later = openFileStore(project, { source: SOURCE, onBackgroundError: fail })
await timed("damaged", () => later.ready())
if (later.health().problems.length !== 1) throw new Error(JSON.stringify(later.health().problems))
await later.close()
stop()
console.log(JSON.stringify(found))

async function each(count, job) {
  const times = []
  for (let n = 0; n < count; n++) {
    const started = performance.now()
    await job(n)
    times.push(performance.now() - started)
  }
  return times
}

/** Cuts a part with mems: its records have to come from the log. */
function damagePart() {
  const folder = join(project, ".hivemind", "graph")
  const newest = readdirSync(folder)
    .filter((name) => name.startsWith("manifest."))
    .sort()
    .at(-1)
  const file = join(folder, "parts", /"(mems\.[^"]+)"/.exec(readFileSync(join(folder, newest), "utf8"))[1])
  writeFileSync(file, readFileSync(file, "utf8").slice(0, -100))
}
