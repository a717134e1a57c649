// A process that saves an anchor under each key it reads on stdin, and prints the outcome.
// usage: anchor-writer.mjs <project> <value>
import { createInterface } from "node:readline"
import { openHiveIn } from "../../build/hive/open.js"
import { saveAnchor } from "../../build/knowledge/anchor/save.js"

const [project, value] = process.argv.slice(2)
const source = { now: Date.now, newId: () => crypto.randomUUID() }
const { hive } = await openHiveIn(project, { source, userConfig: null, options: { name: "test", value: {} } })
hive.store.read()
process.stdout.write("ready\n")
for await (const key of createInterface({ input: process.stdin })) {
  try {
    await saveAnchor(hive, { session: null, agent: null, tool: "test" }, { key, value })
    process.stdout.write("success\n")
  } catch (error) {
    process.stdout.write(`${error.code ?? error.stack}\n`)
  }
}
