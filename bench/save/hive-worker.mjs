// Saves through the built package, as the plugin does.
// usage: hive-worker.mjs <project>
import { openHive } from "../../dist/api.js"
import { answerWith } from "./timed-saves.mjs"

const hive = await openHive(process.argv[2])
// A session has read the graph long before it saves.
hive.read()
answerWith({ save: (mem) => hive.memory.save(mem), fold: () => hive.fold() })
