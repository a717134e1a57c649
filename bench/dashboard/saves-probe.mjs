// Saves mems one by one, as an agent's turns do, and prints how long each took, in ms, as JSON.
// usage: saves-probe.mjs <project> <saves>

import { openHive } from "../../dist/api.js"

const [project, saves] = process.argv.slice(2)
const hive = await openHive(project)
await hive.memory.save({ content: "the first one opens files" })
const times = []
for (let n = 0; n < Number(saves); n++) {
  const started = performance.now()
  await hive.memory.save({ content: `Saved ${n} while people look` })
  times.push(performance.now() - started)
  // Others have their turn too, as between the steps of a model.
  await new Promise((resolve) => setTimeout(resolve, 5))
}
await hive.close()
console.log(JSON.stringify({ times }))
