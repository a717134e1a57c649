// The built plugin, with the time that each call of its hooks takes written to the file that SOAK_TIMES names.
import { appendFileSync } from "node:fs"
import plugin from "../../../dist/server/index.js"

export default {
  id: plugin.id,
  async server(...given) {
    const hooks = await plugin.server(...given)
    const timed = Object.entries(hooks).map(([name, hook]) => [
      name,
      typeof hook === "function" ? timedHook(name, hook) : hook,
    ])
    return Object.fromEntries(timed)
  },
}

function timedHook(name, hook) {
  return async (...given) => {
    const started = performance.now()
    try {
      return await hook(...given)
    } finally {
      appendFileSync(process.env.SOAK_TIMES, `${name} ${(performance.now() - started).toFixed(3)}\n`)
    }
  }
}
