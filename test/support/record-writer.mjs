// A process that writes to a hive and prints the id of every write once it was acknowledged. Runs on Node and on Bun.
// usage: record-writer.mjs <project> <count | Infinity> <fold after bytes>
import { randomUUID } from "node:crypto"
import { openFileStore } from "../../build/store/file-store.js"
import { mem, plan } from "./record-defaults.mjs"

const [project, count, foldAfterBytes] = process.argv.slice(2)
const store = openFileStore(project, {
  source: { now: Date.now, newId: randomUUID },
  foldAfterBytes: Number(foldAfterBytes),
  onBackgroundError: (error) => process.stderr.write(`fold: ${error.stack}\n`),
})
const CONTENT = `Written by ${process.pid}. ${"Words to make it longer. ".repeat(8)}`
const by = { tool: "writer", session: null, agent: null }

for (let n = 0; n < Number(count); n++) {
  const id = randomUUID()
  // Every fourth write takes the lock; the others go without it, as most do in a session.
  try {
    if (n % 4 === 3)
      await store.write(by, (tx) =>
        tx.add("plan", { ...plan, id, title: `Plan of ${process.pid}`, status: "draft", ...now() }),
      )
    else
      await store.append(by, (tx) => {
        tx.add("mem", { ...mem, id, content: CONTENT, ...now() })
        tx.count("ses_shared", "writes")
      })
    process.stdout.write(`${n % 4 === 3 ? "plan" : "mem"} ${id}\n`)
  } catch (error) {
    process.stderr.write(`rejected: ${error.stack}\n`)
  }
}
await store.close()

function now() {
  const at = new Date().toISOString()
  return { created_at: at, updated_at: at }
}
