// What is known about a question: node decisions.mjs "why do we count in cents"
import { openHive } from "hivemind-opencode/api"

const hive = await openHive(process.cwd())
const found = await hive.memory.recall(process.argv.slice(2).join(" "), { limit: 5 })
for (const { kind, content, why } of found) console.log(`${kind}: ${content}\n  (${why})`)
if (found.length === 0) console.log("Nothing is known about that.")
await hive.close()
