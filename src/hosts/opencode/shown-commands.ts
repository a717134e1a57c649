import type { PluginInput } from "@opencode-ai/plugin"
import type { Hive } from "../../hive/hive.ts"
import { forgetLastRule } from "../../knowledge/memory/keep-rules.ts"
import { HiveError } from "../../shared/error.ts"
import { exportPath } from "../../views/export/export-folder.ts"
import { exportSession } from "../../views/export/export-session.ts"
import { must } from "./client.ts"
import { DASHBOARD_COMMAND } from "./dashboard.ts"
import { agentAndModel } from "./message-parts.ts"

export const STATUS_COMMAND = "hive"
export const EXPORT_COMMAND = "hive-export"
export const FORGET_COMMAND = "hive-forget"

/**
 * Answers commands that only show something without the model. OpenCode runs a command's prompt unless the hook before it
 * throws; its terminal UI does not show the error. The answer is a message of the session that no model reads. A command
 * with arguments is a question to the model.
 */
export function shownCommands({
  client,
  hive,
  showDashboard,
}: {
  client: PluginInput["client"]
  hive: () => Promise<Hive>
  showDashboard: () => Promise<void>
}) {
  const texts: Record<string, (session: string) => Promise<string | null>> = {
    [STATUS_COMMAND]: async (session) => statusText(await hive(), session),
    [EXPORT_COMMAND]: async (session) => exportText(await hive(), session),
    [FORGET_COMMAND]: async (session) => forgetText(await hive(), session),
    // No reply text: the address is shown in a toast.
    [DASHBOARD_COMMAND]: async () => {
      void showDashboard()
      return null
    },
  }

  async function say(session: string, text: string): Promise<void> {
    const path = { id: session }
    const last = must(await client.session.messages({ path, query: { limit: LAST_MESSAGES } }))
    const parts = [{ type: "text" as const, text, ignored: true }]
    must(await client.session.prompt({ path, body: { ...agentAndModel(last), noReply: true, parts } }))
  }

  /** During a turn a new message would make OpenCode ask the model once more. */
  async function isBusy(session: string): Promise<boolean> {
    return (must(await client.session.status())[session]?.type ?? "idle") !== "idle"
  }

  /** True where the command was answered. */
  return async (command: string, session: string, words: string): Promise<boolean> => {
    if (!Object.hasOwn(texts, command) || words.trim() !== "") return false
    if (command !== DASHBOARD_COMMAND && (await isBusy(session))) return false
    const text = await texts[command]?.(session)
    if (text != null) await say(session, text)
    return true
  }
}

/** The same lines as in the panel. */
async function statusText(hive: Hive, session: string): Promise<string> {
  // Needed for this command only.
  const [{ readPanel }, { sidebarLines }] = await Promise.all([
    import("../../tui/read-panel.ts"),
    import("../../tui/sidebar-lines.ts"),
  ])
  return sidebarLines(await readPanel(hive, session))
    .map(({ text }) => text)
    .join("\n")
}

async function forgetText(hive: Hive, session: string): Promise<string> {
  const dropped = await forgetLastRule(hive, { session, agent: null, tool: "command" })
  if (dropped === undefined) return "HiveMind has noted no rule that could be dropped."
  const before = hive.store.read().state.mem.get(dropped.supersedes ?? "")
  const replaced = before && `\nIt had replaced: ${before.content} Say that again to have it back.`
  return `Dropped the rule: ${dropped.content}${replaced ?? ""}\n\`hivemind rules\` lists the others.`
}

async function exportText(hive: Hive, session: string): Promise<string> {
  try {
    const caller = { session, agent: null, tool: "command" }
    const { name, record } = await exportSession(hive, caller, session)
    const { is_complete, issues } = record.validation
    const found = issues.map(({ text }) => `- ${text}`)
    const state = is_complete ? "The work is complete." : "The work is not complete:"
    return [`HiveMind exported this session to ${exportPath(hive, name)}. ${state}`, ...found].join("\n")
  } catch (error) {
    if (!(error instanceof HiveError)) throw error
    return `HiveMind: ${error.what} ${error.why}`
  }
}

/** The error that the hook throws once a command is answered, so that OpenCode asks no model. */
export const ANSWERED = "HiveMind has answered this command without the model."
const LAST_MESSAGES = 20
