// A process that saves a mem and updates the session's file for each line on stdin, and prints the outcome.
// usage: session-file-writer.mjs <project> <session>
import { createInterface } from "node:readline"
import { openHiveIn } from "../../build/hive/open.js"
import { saveMem } from "../../build/knowledge/memory/save.js"
import { sessionFiles } from "../../build/views/session-file/update.js"

const [project, session] = process.argv.slice(2)
const source = { now: Date.now, newId: () => crypto.randomUUID() }
const { hive } = await openHiveIn(project, { source, userConfig: null, options: { name: "test", value: {} } })
const logged = []
const files = sessionFiles((level, message) => logged.push(`${level} ${message}`))
process.stdout.write("ready\n")
for await (const content of createInterface({ input: process.stdin })) {
  try {
    await saveMem(hive, { session, agent: "build", tool: "test" }, { content })
    await files.update(hive, session)
    process.stdout.write(`${logged.pop() ?? "updated"}\n`)
  } catch (error) {
    process.stdout.write(`${error.stack.replaceAll("\n", " ")}\n`)
  }
}
