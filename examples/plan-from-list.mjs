// A plan of the lines of a file: node plan-from-list.mjs "Move to cents" steps.txt
import { readFile } from "node:fs/promises"
import { HiveError, openHive } from "hivemind-opencode/api"

const [title, file] = process.argv.slice(2)
if (!title || !file) {
  console.error('Usage: node plan-from-list.mjs "<title of the plan>" <file with a task per line>')
  process.exit(1)
}
const lines = (await readFile(file, "utf8")).split("\n").filter((line) => line.trim() !== "")
const hive = await openHive(process.cwd())
try {
  // "#0" is the first task of the same call.
  const tasks = lines.map((line, n) => ({
    title: line,
    expected_output: line,
    depends_on: n === 0 ? [] : [`#${n - 1}`],
  }))
  // Up to 500 in one call; `hive.tasks.plan(plan.id, more)` adds to a plan.
  const { plan } = await hive.plans.create({ title, acceptance: ["every step is done"], tasks })
  for (const { short, status, title } of hive.tasks.list({ plan: plan.id })) console.log(short, status, title)
} catch (error) {
  if (!(error instanceof HiveError)) throw error
  console.error(`${error.what} ${error.use_instead}`)
  process.exitCode = 1
} finally {
  await hive.close()
}
