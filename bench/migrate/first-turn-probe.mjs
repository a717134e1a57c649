// Times the first turn in a project with old files, while they are taken over, in a fresh process. Prints one line of JSON.
// usage: first-turn-probe.mjs <project> <words of a recall>

import { locateHive } from "../../build/hive/locate.js"
import { recallKnown } from "../../build/knowledge/recall/recall.js"
import { migrateAutomatically } from "../../build/migrate/automatic.js"
import { openWithLegacyFiles } from "../../build/migrate/open-with-legacy.js"
import { packedState } from "../../build/views/context/injected.js"
import { watchBlocks } from "../block-watch.mjs"

const [project, words] = process.argv.slice(2)
const source = { now: Date.now, newId: () => crypto.randomUUID() }
const input = { source, userConfig: null, options: { name: "bench", value: {} } }
const { timed, found, busiest, stop } = watchBlocks()

// As a host does it: the migration begins, and the block of the turn is compiled beside it.
let migrating
const { hive, xml } = await timed("turn", async () => {
  const { hive } = await openWithLegacyFiles(locateHive(project), input)
  migrating = migrateAutomatically(hive)
  return { hive, xml: (await packedState(hive, { session: null, asOf: undefined })).xml }
})
const isShown = xml.includes("Postgres 16") && xml.includes("Write the refresh endpoint")
await timed("recall", () => recallKnown(hive, words))
await timed("rest", () => migrating)
stop()
await hive.store.close()

console.log(
  JSON.stringify({
    turn_ms: found.turn,
    busiest: Math.max(busiest.turn, busiest.recall, busiest.rest),
    recall_ms: found.recall,
    isShown,
  }),
)
