import type { PluginModule } from "@opencode-ai/plugin"

// The host sends the provider no agent's name, and agents without a prompt of their own look alike. This plugin, which every
// bed loads, adds the name as a header. The body stays the same.
export default {
  id: "bed-witness",
  // In OpenCode 2 a hook has the agent, and an event the parent of a subagent's session.
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
