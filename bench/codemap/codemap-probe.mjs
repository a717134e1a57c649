// One scan in a process of its own: times, blocks, memory. Arguments: what to run, the folder.
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
  const { openHive } = await import("../../build/api.js")
  await import("../../build/project/codemap/answers.js")
  // As madge's parsers are, which come with it.
  const { loadParser } = await import("../../build/project/codemap/parser.js")
  await loadParser(dir)
  const hive = await openHive(dir)
  const started = performance.now()
  const { edges } = await hive.codemap.scan()
  console.log(JSON.stringify({ total: performance.now() - started, edges: edges.length }))
} else {
  const { openHive } = await import("../../dist/api.js")
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
