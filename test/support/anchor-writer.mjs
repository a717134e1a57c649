// Saves an anchor under each key it reads. usage: anchor-writer.mjs <project> <value>
import { saveAnchor } from "../../build/knowledge/anchor/anchors.js"
import { forEachLine, openBuiltHive } from "./line-worker.mjs"

const [project, value] = process.argv.slice(2)
const hive = await openBuiltHive(project)
await forEachLine(async (key) => {
  await saveAnchor(hive, { session: null, agent: null, tool: "test" }, { key, value })
  return "success"
})
