// Where the work stands, as Markdown: node report.mjs
import { openHive } from "hivemind-opencode/api"

const hive = await openHive(process.cwd())
for (const { title, tasks, id } of hive.plans.list({ status: "open" })) {
  console.log(`## ${title} (${tasks.done} of ${tasks.all} done)`)
  for (const { title, status, waits } of hive.tasks.list({ plan: id, status: "open" }))
    console.log(`- ${title}: ${status}${waits === null ? "" : `, ${waits}`}`)
}
const { tokens } = await hive.pack()
console.log(`\nAn agent is told this in ${tokens} tokens.`)
await hive.close()
