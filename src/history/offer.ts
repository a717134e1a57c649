import type { GraphState } from "../graph/state.ts"
import type { Located } from "../hive/locate.ts"
import { counted } from "../shared/amounts.ts"
import { systemSource } from "../shared/ids.ts"
import { openHistoryFiles } from "../store/history-files.ts"
import { type AgentFolders, findSessions } from "./find-sessions.ts"
import { AGENTS, type FoundSession } from "./read/step.ts"

/** The question to a person whether to import past sessions; undefined if there are none, or they were imported before. */
export async function pastSessionsOffer(
  place: Located,
  folders: AgentFolders,
  state?: GraphState,
): Promise<string | undefined> {
  if (isImported(place.home)) return undefined
  // Those that HiveMind attended taught it already.
  const attended = new Set([...(state?.session.values() ?? [])].map(({ host_id }) => host_id))
  const found = (await findSessions(place, folders)).filter(({ id }) => !attended.has(id))
  if (found.length === 0) return undefined
  return `${describeSessions(found)}, of this project and from before HiveMind, are on this machine. \`hivemind import sessions\` reads them and keeps rules, decisions, failed approaches and commands as unconfirmed records; \`--dry-run\` shows them first, \`--undo\` takes all back. Nothing is read without your yes.`
}

export function isImported(home: string): boolean {
  return openHistoryFiles(home, systemSource).sessions().length > 0
}

/** "12 past sessions (10 of Claude Code, 2 of OpenCode), 2026-01-06 to 2026-02-25, 6 MB" */
export function describeSessions(found: readonly FoundSession[]): string {
  const byAgent = Object.entries(AGENTS).flatMap(([agent, name]) => {
    const count = found.filter((each) => each.agent === agent).length
    return count === 0 ? [] : `${count} of ${name}`
  })
  const days = found.map(({ modified }) => modified.slice(0, 10)).sort()
  const span = days[0] === days.at(-1) ? `${days[0]}` : `${days[0]} to ${days.at(-1)}`
  const mb = Math.round(found.reduce((sum, { bytes }) => sum + bytes, 0) / 2 ** 20)
  const size = mb > 0 ? `; ${mb} MB` : ""
  return `${counted(found.length, "past session")} (${byAgent.join(", ")}; ${span}${size})`
}
