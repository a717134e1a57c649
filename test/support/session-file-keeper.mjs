// A process that saves a mem and keeps the session's file each time it is told to, and prints how that went.
// usage: session-file-keeper.mjs <project> <session>
import { createInterface } from "node:readline"
import { openHiveIn } from "../../dist/hive/open.js"
import { saveMem } from "../../dist/knowledge/memory/save.js"
import { sessionFiles } from "../../dist/views/session-file/keep.js"

const [project, session] = process.argv.slice(2)
const source = { now: Date.now, newId: () => crypto.randomUUID() }
const { hive } = await openHiveIn(project, { source, userConfig: null, options: { name: "test", value: {} } })
const logged = []
const files = sessionFiles((level, message) => logged.push(`${level} ${message}`))
process.stdout.write("ready\n")
for await (const content of createInterface({ input: process.stdin })) {
  try {
    await saveMem(hive, { session, agent: "build", tool: "test" }, { content })
    await files.keep(hive, session)
    process.stdout.write(`${logged.pop() ?? "kept"}\n`)
  } catch (error) {
    process.stdout.write(`${error.stack.replaceAll("\n", " ")}\n`)
  }
}
