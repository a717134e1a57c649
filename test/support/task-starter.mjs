// A process that starts each task whose id it reads on stdin, and prints the outcome.
// usage: task-starter.mjs <project> <session>
import { createInterface } from "node:readline"
import { openHiveIn } from "../../build/hive/open.js"
import { startTask } from "../../build/work/task/start.js"

const [project, session] = process.argv.slice(2)
const source = { now: Date.now, newId: () => crypto.randomUUID() }
const { hive } = await openHiveIn(project, { source, userConfig: null, options: { name: "test", value: {} } })
hive.store.read()
process.stdout.write("ready\n")
for await (const task of createInterface({ input: process.stdin })) {
  try {
    await startTask(hive, { session, agent: "build", tool: "test" }, task)
    process.stdout.write("success\n")
  } catch (error) {
    process.stdout.write(`${error.code ?? error.stack}\n`)
  }
}
