// The packed state of a project as it is now, for the plugins that HiveMind is compared with.
import { pack } from "../../dist/context/pack/pack.js"
import { headOf } from "../../dist/graph/read-head.js"
import { openFileStore } from "../../dist/store/file-store.js"

export function stateOf(directory) {
  const store = openFileStore(directory, { source: { now: Date.now, newId: () => crypto.randomUUID() } })
  return (session) => {
    const { state } = store.read()
    return pack(state, headOf(state, session), { now: Date.now(), budget: 6000 }).xml
  }
}
