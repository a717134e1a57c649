import { appendFileSync } from "node:fs"
import { join } from "node:path"
import type { PluginModule, ToolDefinition } from "@opencode-ai/plugin"
import { z } from "zod"

// The cast: the host's types carry the literal version of their own, older Zod, and ours differs only in that.
const echo = {
  description: "Answers with its own arguments.",
  args: { a: z.string(), b: z.number().default(7) },
  execute: async (args: unknown) => JSON.stringify(args),
} as unknown as ToolDefinition

// A plugin that notes which hook fired for which session, and misbehaves on request: what a live test needs to
// pin down the facts about the host that HiveMind is built on.
export default {
  id: "bed-probe",
  server: async ({ directory }, options) => {
    if (options?.["print"]) process.stdout.write("printed by the probe\n")
    const note = (hook: string, session: string, detail = "") =>
      appendFileSync(join(directory, "probe.jsonl"), `${JSON.stringify({ hook, session, detail })}\n`)
    return {
      dispose: async () => note("dispose", ""),
      "chat.message": async (input, output) => note("chat.message", input.sessionID, output.message.agent),
      "experimental.chat.messages.transform": async (_input, { messages }) =>
        note("messages.transform", messages[0]?.info.sessionID ?? "", `${messages.length}`),
      "experimental.chat.system.transform": async (input) => note("system.transform", input.sessionID ?? ""),
      "chat.params": async (input) => note("chat.params", input.sessionID, input.agent),
      "tool.execute.before": async (input, output) => {
        note("before", input.sessionID, input.tool)
        if (JSON.stringify(output.args).includes("FORBIDDEN")) throw new Error("refused by the probe")
      },
      "tool.execute.after": async (input) => note("after", input.sessionID, input.tool),
      tool: { probe_echo: echo },
    }
  },
} satisfies PluginModule
