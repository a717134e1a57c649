import type { PluginModule } from "@opencode-ai/plugin"

// The host sends the session's id to the provider, but neither the agent's name nor the user message that
// started the turn: two agents without a prompt of their own look the same on the wire. This plugin, which
// the bed always loads beside the one under test, adds both as headers. The body stays as it was, byte for byte.
export default {
  id: "bed-witness",
  server: async () => ({
    "chat.headers": async (input, output) => {
      output.headers["x-bed-agent"] = input.agent
      output.headers["x-bed-message"] = input.message.id
    },
  }),
} satisfies PluginModule
