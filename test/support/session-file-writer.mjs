// Saves a mem for each line and updates the session's file. usage: session-file-writer.mjs <project> <session>
import { saveMem } from "../../build/knowledge/memory/save.js"
import { sessionFiles } from "../../build/views/session-file/update.js"
import { forEachLine, openBuiltHive } from "./line-worker.mjs"

const [project, session] = process.argv.slice(2)
const hive = await openBuiltHive(project)
const logged = []
const files = sessionFiles((level, message) => logged.push(`${level} ${message}`))
await forEachLine(async (content) => {
  await saveMem(hive, { session, agent: "build", tool: "test" }, { content })
  await files.update(hive, session)
  return logged.pop() ?? "updated"
})
