// The usual way to keep JSON safe: lock the file, read and parse all of it, add, write all of it anew, unlock.
// usage: rewrite-worker.mjs <file>
import { readFile } from "node:fs/promises"
import { lock } from "proper-lockfile"
import writeFileAtomic from "write-file-atomic"
import { answerWith } from "./timed-saves.mjs"

const [file] = process.argv.slice(2)

answerWith({
  save: async (mem) => {
    const unlock = await lock(file, { retries: 10 })
    try {
      const graph = JSON.parse(await readFile(file, "utf8"))
      graph.mems.push(mem)
      await writeFileAtomic(file, JSON.stringify(graph), { fsync: true })
    } finally {
      await unlock()
    }
  },
})
