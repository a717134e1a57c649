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

/** Answers a command without the model. The hook must throw afterwards, or OpenCode sends the command's prompt. */
export function shownCommands(
  client: PluginInput["client"],
  hive: () => Promise<Hive>,
  showDashboard: () => Promise<void>,
) {
  const texts: Record<string, (session: string) => Promise<string | null>> = {
    [STATUS_COMMAND]: async (session) => statusText(await hive(), session),
    [EXPORT_COMMAND]: async (session) => exportText(await hive(), session),
    [FORGET_COMMAND]: async (session) => forgetText(await hive(), session),
    [DASHBOARD_COMMAND]: async () => {
      void showDashboard()
      return null
    },
  }

  async function say(session: string, text: string): Promise<void> {
    const path = { id: session }
    const last = must(await client.session.messages({ path, query: { limit: 20 } }))
    const parts = [{ type: "text" as const, text, ignored: true }]
    must(await client.session.prompt({ path, body: { ...agentAndModel(last), noReply: true, parts } }))
  }

  /** While a turn runs, a new message would make OpenCode ask the model once more. */
  async function isBusy(session: string): Promise<boolean> {
    return (must(await client.session.status())[session]?.type ?? "idle") !== "idle"
  }

  return async (command: string, session: string, words: string): Promise<boolean> => {
    if (!Object.hasOwn(texts, command) || words.trim() !== "") return false
    if (command !== DASHBOARD_COMMAND && (await isBusy(session))) return false
    const text = await texts[command]?.(session)
    if (text != null) await say(session, text)
    return true
  }
}

async function statusText(hive: Hive, session: string): Promise<string> {
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
  if (dropped === undefined) return "There is no rule to drop: HiveMind has noted none."
  const before = hive.store.read().state.mem.get(dropped.supersedes ?? "")
  const replaced = before && `\nIt had replaced this rule: ${before.content} State it again to get it back.`
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

/** The hook throws this error after a command is answered, so that OpenCode does not ask the model. */
export const ANSWERED = "HiveMind has answered this command without the model."
