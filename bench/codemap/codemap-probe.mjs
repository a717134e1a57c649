// One scan in a process of its own: times, blocks, memory. Arguments: what to run, the folder.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { watchBlocks } from "../block-watch.mjs"

const [, , what, dir, peers] = process.argv

if (what === "madge") {
  const { createRequire } = await import("node:module")
  const madge = createRequire(`${peers}/package.json`)("madge")
  const started = performance.now()
  const found = await madge(dir, { fileExtensions: ["ts", "tsx", "js", "jsx", "mjs", "cjs"] })
  const edges = Object.values(found.obj()).flat().length
  console.log(JSON.stringify({ total: performance.now() - started, edges }))
} else if (what === "once") {
  const { openHive } = await import("../../build/api/open-hive.js")
  await import("../../build/project/codemap/answers.js")
  // As madge's parsers are, which come with it.
  const { loadParser } = await import("../../build/project/codemap/parser.js")
  await loadParser(dir)
  const hive = await openHive(dir)
  const started = performance.now()
  const { edges } = await hive.codemap.scan()
  console.log(JSON.stringify({ total: performance.now() - started, edges: edges.length }))
} else if (what === "renew") {
  // From a write to the map that has it, as in a host: what renews the map beside a turn is told of the write.
  const { openHiveIn } = await import("../../build/hive/open.js")
  const { createLayout } = await import("../../build/store/files/layout.js")
  const { codeMapOf } = await import("../../build/project/codemap/code-map.js")
  const { codeMapRefresh } = await import("../../build/turns/code-map-refresh.js")
  await createLayout(dir)
  const source = { now: Date.now, newId: () => crypto.randomUUID() }
  const options = { name: "bench", value: {} }
  const { hive } = await openHiveIn(dir, { source, userConfig: null, options })
  const [path] = (await codeMapOf(hive).scan()).files.keys()
  const between = codeMapRefresh({ hive: async () => hive, log: () => {} })
  // As at the first message of a host: the map is there before anything is written.
  between.begin()
  while (between.look(path) === undefined) await new Promise((resolve) => setTimeout(resolve, 5))
  const times = []
  for (let round = 0; round < 5; round++) {
    writeFileSync(join(dir, path), `export const renewed${round} = 1\n`)
    const started = performance.now()
    between.wanted()
    while (between.look(path)?.offers[0] !== `renewed${round}`)
      await new Promise((resolve) => setTimeout(resolve, 5))
    times.push(performance.now() - started)
  }
  between.close()
  await hive.store.close()
  console.log(JSON.stringify({ worst: Math.max(...times) }))
} else {
  const { openHive } = await import("../../dist/api.js")
  const { createLayout } = await import("../../build/store/files/layout.js")
  // With a hive, so that the map is written too.
  await createLayout(dir)
  const hive = await openHive(dir)
  const { found, busiest, timed, stop } = watchBlocks()
  let peak = 0
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss)
  }, 20)
  const scan = await timed("first", () => hive.codemap.scan())
  await timed("again", () => hive.codemap.scan())
  await timed("inconsistencies", () => hive.codemap.inconsistencies())
  clearInterval(timer)
  stop?.()
  const { files, edges, notes } = scan
  console.log(
    JSON.stringify({ found, busiest, peak, files: files.length, edges: edges.length, notes: notes.length }),
  )
  process.exit(0)
}
