// What is usually done: before every step the newest state is written into the last user message.
import { stateOf } from "../current-state.mjs"

export default {
  id: "bench-rewrite",
  server: async ({ directory }) => {
    const current = stateOf(directory)
    return {
      "experimental.chat.messages.transform": async (_, { messages }) => {
        const last = messages.findLast(({ info }) => info.role === "user")
        if (last === undefined) return
        const { id: messageID, sessionID } = last.info
        const text = current(sessionID)
        last.parts.unshift({
          id: `prt_bench_${messageID}`,
          sessionID,
          messageID,
          type: "text",
          text,
          synthetic: true,
        })
      },
    }
  },
}
