// Writes a hive with many archived mems in minutes: log, archive and manifest by the store's own functions, the hot mems by
// the store, and the index of recall by its own process. usage: bulk-fill.mjs <project> <mems> <hot>
import { appendFileSync, mkdirSync } from "node:fs"
import { memIndexOf } from "../../build/knowledge/index/mem-index.js"
import { recall } from "../../build/knowledge/recall/recall.js"
import { runToEnd } from "../../build/shared/slices.js"
import { openArchive } from "../../build/store/archive/archive.js"
import { archiveName } from "../../build/store/archive/archive-file.js"
import { openFileStore } from "../../build/store/file-store.js"
import { createLayout, hivePaths } from "../../build/store/files/layout.js"
import { entryLine, sealLine } from "../../build/store/log/line.js"
import { segmentPath } from "../../build/store/log/segments.js"
import { commitManifest, newestManifest } from "../../build/store/snapshot/manifest.js"
import { mem } from "../recall/recall-texts.mjs"
import { BY, fail, SOURCE } from "./growth-records.mjs"

const [project, size, hot] = process.argv.slice(2)
const archived = Number(size) - Number(hot)
const paths = hivePaths(project)
const PER_SEGMENT = 2000
const PER_ENTRY = 100
const PER_FILE = 50_000

const open = () => openFileStore(project, { source: SOURCE, onBackgroundError: fail })
// The first write makes the folder.
const first = open()
await first.append(BY, (tx) => tx.add("mem", mem()))
await first.fold()
await first.close()

await createLayout(project)
mkdirSync(paths.archive, { recursive: true })
const archive = openArchive(paths.archive, () => undefined)
const { manifest, next } = newestManifest(paths.graph)
let { through, seq, clock } = manifest
let waiting = []
for (let done = 0; done < archived; done += PER_SEGMENT) {
  const mems = Array.from({ length: Math.min(PER_SEGMENT, archived - done) }, () => mem())
  const segment = ++through
  const lines = []
  const write = (ops, more = {}) => {
    const entry = {
      id: SOURCE.newId(),
      at: mems[0].created_at,
      by: BY,
      writer: "bench",
      clock: ++clock,
      ...more,
      ops,
    }
    lines.push(entryLine(entry, segment))
  }
  for (let n = 0; n < mems.length; n += PER_ENTRY)
    write(mems.slice(n, n + PER_ENTRY).map((record) => ({ op: "add", kind: "mem", record })))
  for (let n = 0; n < mems.length; n += PER_ENTRY) {
    const leaving = mems.slice(n, n + PER_ENTRY)
    write(
      leaving.map(({ id }) => ({ op: "archive", kind: "mem", id })),
      { seq: ++seq },
    )
  }
  lines.push(sealLine(segment))
  appendFileSync(segmentPath(paths.log, segment), lines.map((line) => `\n${line}`).join(""))
  waiting.push(...mems)
  if (waiting.length < PER_FILE && done + PER_SEGMENT < archived) continue
  archive.use(runToEnd(archive.add(waiting, [], archiveName(segment, "bench"))))
  waiting = []
}
await commitManifest(paths.graph, {
  ...manifest,
  number: next,
  through,
  seq,
  clock,
  archive: [...archive.files()],
})

const store = open()
for (let n = 0; n < Number(hot); n += PER_ENTRY)
  await store.append(BY, (tx) => {
    for (let k = 0; k < PER_ENTRY; k++) tx.add("mem", mem())
  })
await store.fold()
const filled = performance.now()
await recall({ store }, "first")
await memIndexOf(store).filed(0)
const index_s = (performance.now() - filled) / 1000
const { mem: kept } = store.read().state
console.log(JSON.stringify({ hot: kept.size, archived: store.archive.size(), index_s }))
await store.close()
