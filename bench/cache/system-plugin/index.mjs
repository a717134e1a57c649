// What is also done: the newest state is in the system prompt.
import { stateOf } from "../current-state.mjs"

export default {
  id: "bench-system",
  server: async ({ directory }) => {
    const current = stateOf(directory)
    return {
      "experimental.chat.system.transform": async ({ sessionID }, { system }) => {
        if (sessionID !== undefined) system.push(current(sessionID))
      },
    }
  },
}
