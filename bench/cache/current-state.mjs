// The packed state of a project as it is now, for the plugins that HiveMind is compared with.
import { pack } from "../../build/context/pack/pack.js"
import { headOf } from "../../build/graph/read-head.js"
import { openFileStore } from "../../build/store/file-store.js"

export function stateOf(directory) {
  const store = openFileStore(directory, { source: { now: Date.now, newId: () => crypto.randomUUID() } })
  return (session) => {
    const { state } = store.read()
    return pack(state, headOf(state, session), { now: Date.now(), budget: 6000 }).xml
  }
}
