import type { PluginInput, ToolContext, ToolDefinition } from "@opencode-ai/plugin"
import type { Part } from "@opencode-ai/sdk"
import type { Hive } from "../lib/hive.ts"
import { findProject } from "../lib/store/layout.ts"
import { toRefusal } from "../shared/error.ts"
import type { HiveTool } from "../tools/tool.ts"

/** A tool of ours as OpenCode takes it. Its types pin another minor version of Zod; at run time any Zod 4 will do. */
export function toHostTool(tool: HiveTool, hive: () => Promise<Hive>): ToolDefinition {
  return {
    description: tool.description,
    args: tool.args as unknown as ToolDefinition["args"],
    execute: async (args: unknown, context: ToolContext) => {
      try {
        return await tool.execute(await hive(), { session: context.sessionID, agent: context.agent }, args)
      } catch (error) {
        return JSON.stringify({ status: "error", ...toRefusal(error) })
      }
    },
  }
}

/** The folder whose `.hivemind/` is meant: the nearest that has one, else the repository, else where OpenCode runs. */
export function projectDir({ directory, worktree }: Pick<PluginInput, "directory" | "worktree">): string {
  // Outside a repository OpenCode gives the file system's root as worktree.
  const isRepository = worktree !== "" && worktree !== "/" && directory.startsWith(worktree)
  return findProject(directory) ?? (isRepository ? worktree : directory)
}

/** Shows a line to the person. Without a terminal UI there is nobody to show it to, and that is fine. */
export function toastWith(client: PluginInput["client"]): (message: string) => Promise<void> {
  return async (message) => {
    await client.tui.showToast({ body: { title: "HiveMind", message, variant: "warning" } })
  }
}

/** What a person wrote, without what the host or plugins added. */
export function textOf(parts: readonly Part[]): string {
  return parts
    .flatMap((part) => (part.type === "text" && part.synthetic !== true ? [part.text] : []))
    .join("\n")
}

/** Asks the host whose subagent a session is; null for a session of its own. */
export function parentAsker(client: PluginInput["client"]): (session: string) => Promise<string | null> {
  return async (session) => {
    const { data } = await client.session.get({ path: { id: session } })
    return data?.parentID ?? null
  }
}

/** Ends a session's turn, as a person would with Escape. */
export function sessionEnder(client: PluginInput["client"]): (session: string) => Promise<void> {
  return async (session) => {
    await client.session.abort({ path: { id: session } })
  }
}

/** The subagent's session that the host's `task` tool has run, as its result tells. */
export function childOf(metadata: unknown): string | undefined {
  if (typeof metadata !== "object" || metadata === null || !("sessionId" in metadata)) return undefined
  return typeof metadata.sessionId === "string" ? metadata.sessionId : undefined
}
