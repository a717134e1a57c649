import type { PluginModule } from "@opencode-ai/plugin"

// The host sends the session's id to the provider, but neither the agent's name nor the user message that
// started the turn: two agents without a prompt of their own look the same on the wire. This plugin, which
// the bed always loads beside the one under test, adds both as headers. The body stays as it was, byte for byte.
export default {
  id: "bed-witness",
  // OpenCode 2 tells the agent in a hook of its own; whose subagent a session is, only an event does.
  setup: async (context: Context) => {
    const parents = new Map<string, string>()
    await context.session.hook("model.request", ({ sessionID, agent, headers }) => {
      headers["x-bed-agent"] = agent
      const parent = parents.get(sessionID)
      if (parent !== undefined) headers["x-parent-session-id"] = parent
    })
    const listen = async () => {
      for await (const { type, data } of context.event.subscribe())
        if (type === "session.created" && data.parentID !== undefined)
          parents.set(data.sessionID, data.parentID)
    }
    listen().catch(() => {}) // The server ends.
  },
  server: async () => ({
    "chat.headers": async (input, output) => {
      output.headers["x-bed-agent"] = input.agent
      output.headers["x-bed-message"] = input.message.id
    },
  }),
} satisfies PluginModule & { setup: unknown }

interface Context {
  session: { hook(name: string, run: (event: ModelRequestEvent) => void): Promise<unknown> }
  event: { subscribe(): AsyncIterable<{ type: string; data: { sessionID: string; parentID?: string } }> }
}

interface ModelRequestEvent {
  sessionID: string
  agent: string
  headers: Record<string, string>
}
