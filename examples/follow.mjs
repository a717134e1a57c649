// What agents change, as they change it: node follow.mjs, ended by Ctrl-C
import { openHive } from "hivemind-opencode/api"

const hive = await openHive(process.cwd())
const end = new AbortController()
process.once("SIGINT", () => end.abort())
const changes = hive.changes({ signal: end.signal })
console.log("Following. Ctrl-C ends it.")
for await (const { at, by, ops } of changes)
  console.log(at, by.tool, ops.map(({ op, kind }) => `${op} ${kind ?? ""}`.trim()).join(", "))
await hive.close()
