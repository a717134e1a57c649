// Starts each task whose id it reads. usage: task-starter.mjs <project> <session>
import { startTask } from "../../build/work/task/start.js"
import { forEachLine, openBuiltHive } from "./line-worker.mjs"

const [project, session] = process.argv.slice(2)
const hive = await openBuiltHive(project)
await forEachLine(async (task) => {
  await startTask(hive, { session, agent: "build", tool: "test" }, task)
  return "success"
})
