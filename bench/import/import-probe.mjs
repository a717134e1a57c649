// Imports a file of beads in a fresh process, again, and takes it back. Prints one line of JSON.
// usage: import-probe.mjs <empty folder> <issues>

import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { openHiveIn } from "../../build/hive/open.js"
import { importFrom, undoImport } from "../../build/migrate/import/import.js"
import { createLayout } from "../../build/store/files/layout.js"
import { watchBlocks } from "../block-watch.mjs"

const [project, given] = process.argv.slice(2)
const issues = Number(given)
const path = join(project, "issues.jsonl")
writeFileSync(path, Array.from({ length: issues }, (_, n) => `${JSON.stringify(issueOf(n))}\n`).join(""))
await createLayout(project)
const source = { now: Date.now, newId: () => crypto.randomUUID() }
const { hive } = await openHiveIn(project, {
  source,
  userConfig: null,
  options: { name: "bench", value: {} },
})
const { timed, found, busiest, stop } = watchBlocks()
let told = 0
const onProgress = () => told++
const { sources } = await timed("first", () => importFrom(hive, "beads", path, { onProgress }))
const memory = process.resourceUsage().maxRSS * 1024
await timed("again", () => importFrom(hive, "beads", path))
await timed("taken back", () => undoImport(hive, "beads"))
stop()
await hive.store.close()
// In KiB on Linux.
console.log(JSON.stringify({ found, busiest, sources, told, memory_mb: memory / 2 ** 20 }))

/** An epic with a hundred issues, which wait for earlier and for later ones. */
function issueOf(n) {
  const epic = n - (n % 100)
  const link = (to, type) => ({ issue_id: `hb-${n}`, depends_on_id: `hb-${to}`, type })
  const at = new Date(Date.UTC(2025, 0, 1) + n * 60_000).toISOString()
  return {
    id: `hb-${n}`,
    title: `Issue ${n} about the harbour`,
    description: `What is to be done about quay ${n}, and why. `.repeat(12),
    status: ["open", "closed", "in_progress"][n % 3],
    priority: n % 5,
    issue_type: n === epic ? "epic" : "task",
    created_at: at,
    updated_at: at,
    dependencies: [
      ...(n === epic || n % 3 === 0 ? [] : [link(epic, "parent-child")]),
      ...(n % 5 === 1 ? [link(n + 7, "blocks")] : n % 5 === 2 ? [link(Math.max(0, n - 30), "blocks")] : []),
    ],
  }
}
