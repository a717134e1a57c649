// A process that saves mems until it is refused, and prints which ones were acknowledged. usage: mem-filler.mjs <project>
import { openHive } from "../../dist/api.js"

const hive = await openHive(process.argv[2])
const saved = []
let refused
while (refused === undefined) {
  try {
    saved.push((await hive.memory.save({ content: `Mem ${saved.length} ${"x".repeat(700)}` })).id)
  } catch (error) {
    refused = error.code ?? String(error)
  }
}
process.stdout.write(JSON.stringify({ saved, refused }))
process.exit(0)
