import { createHash } from "node:crypto"
import { statSync } from "node:fs"
import { basename, extname, join, sep } from "node:path"
import type { GraphState } from "../graph/state.ts"
import { type Located, realPath } from "../hive/locate.ts"
import { counted } from "../shared/amounts.ts"
import { findRepository, linkedWorktrees } from "../shared/git-folders.ts"
import { systemSource } from "../shared/ids.ts"
import { listEntriesOrEmpty, listNamesOrEmpty, readTextOrUndefined } from "../shared/lenient-files.ts"
import { openHistoryFiles } from "../store/history-files.ts"
import { entireSessions } from "./read/entire.ts"
import { headOf, piecesOf } from "./read/lines.ts"
import { opencodeSessions } from "./read/opencode.ts"
import { AGENTS, type FoundSession, fieldsOf, jsonIn } from "./read/step.ts"
import { formatOf } from "./read/transcripts.ts"

export function agentFolders(env: Readonly<Record<string, string | undefined>>, home: string) {
  return {
    claude: join(env["CLAUDE_CONFIG_DIR"] || join(home, ".claude"), "projects"),
    codex: env["CODEX_HOME"] || join(home, ".codex"),
    gemini: join(home, ".gemini"),
    opencode: join(env["XDG_DATA_HOME"] || join(home, ".local", "share"), "opencode"),
  }
}
export type AgentFolders = ReturnType<typeof agentFolders>

/** A session and the folder it began in, if its format names it. */
type Session = FoundSession & { folder?: string | undefined }

/** Finds the past sessions of a project, oldest first. Of other projects' transcripts, only the folder is read. */
export async function findSessions(place: Located, folders: AgentFolders): Promise<FoundSession[]> {
  const own = ownFolders(place)
  const files = [...claudeFiles(folders.claude, own), ...codexFiles(folders.codex)]
  const found: Session[] = files.flatMap(fileSession)
  for (const path of filesBelow(folders.opencode, /^opencode.*\.db$/, 0))
    found.push(...(await opencodeSessions(path)))
  const here: FoundSession[] = found.filter(({ folder }) => folder !== undefined && own.has(folder))
  here.push(...geminiFiles(folders.gemini, own).flatMap(fileSession))
  // Entire and SpecStory store copies of other agents' sessions, so the first session with an id is taken.
  const saved = own.folders.flatMap((folder) => filesBelow(join(folder, ".specstory", "history"), /\.md$/, 0))
  const byId = new Map<string, FoundSession>()
  for (const each of [...here, ...(await entireSessions(place.dir)), ...saved.flatMap(fileSession)])
    if (!byId.has(each.id)) byId.set(each.id, each)
  return [...byId.values()].sort((a, b) => (a.modified < b.modified ? -1 : 1))
}

export async function sessionsIn(path: string): Promise<FoundSession[]> {
  const found: FoundSession[] = []
  for (const file of filesBelow(path, /\.(jsonl|md|db)$/, 4))
    found.push(...(file.endsWith(".db") ? await opencodeSessions(file) : fileSession(file)))
  return found
}

function ownFolders({ home, dir, repository }: Located) {
  const linked = repository === null ? [] : linkedWorktrees(repository.commonDir)
  const folders = [...new Set([home, dir, ...linked].flatMap((each) => [each, realPath(each)]))]
  const isInside = (path: string) => folders.some((own) => path === own || path.startsWith(own + sep))
  return {
    folders,
    has(folder: string): boolean {
      // A repository inside of the project counts as another project.
      const top = isInside(folder) ? findRepository(folder)?.top : undefined
      return isInside(folder) && (top === undefined || folders.includes(top) || !isInside(top))
    },
  }
}
type OwnFolders = ReturnType<typeof ownFolders>

/** Finds transcripts in folders that Claude Code names after the project's path. Two projects can share such a name. */
function claudeFiles(projects: string, own: OwnFolders): string[] {
  const keys = own.folders.map((folder) => folder.replaceAll(/[^A-Za-z0-9]/g, "-"))
  return listNamesOrEmpty(projects)
    .filter((name) => keys.some((key) => name === key || name.startsWith(`${key}-`)))
    .flatMap((name) => filesBelow(join(projects, name), /\.jsonl$/, 1))
}

function codexFiles(home: string): string[] {
  return ["sessions", "archived_sessions"].flatMap((name) =>
    filesBelow(join(home, name), /^rollout-.*\.jsonl$/, 4),
  )
}

/** Gemini CLI has a folder per project, listed in `projects.json`. Older versions named it by a hash of the path. */
function geminiFiles(home: string, own: OwnFolders): string[] {
  const { projects } = jsonIn(readTextOrUndefined(join(home, "projects.json")))
  const listed = Object.entries(fieldsOf(projects)).filter(([folder]) => own.has(folder))
  const hashes = own.folders.map((folder) => createHash("sha256").update(folder).digest("hex"))
  return [...new Set([...listed.map(([, name]) => String(name)), ...hashes])].flatMap((name) =>
    filesBelow(join(home, "tmp", name, "chats"), /^session-.*\.jsonl$/, 1),
  )
}

function fileSession(path: string): Session[] {
  const stat = statSync(path, { throwIfNoEntry: false })
  const head = headOf(path, HEAD_BYTES)
  const format = formatOf(path, head)
  if (stat === undefined || stat.size === 0 || format === undefined) return []
  const { agent, read } = format
  const id = format.id?.exec(head)?.[1] ?? basename(path, extname(path))
  const [modified, version] = [stat.mtime.toISOString(), `${stat.size} ${Math.floor(stat.mtimeMs)}`]
  const [, folder] = /"cwd":\s*"((?:[^"\\]|\\.)*)"/.exec(head) ?? []
  const open = async () => read(piecesOf(path), path)
  const found = { agent, id, path, bytes: stat.size, modified, version, open }
  return [{ ...found, folder: folder?.replaceAll(/\\(.)/g, "$1") }]
}

function filesBelow(path: string, name: RegExp, depth: number): string[] {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === true) return [path]
  return listEntriesOrEmpty(path).flatMap((entry) => {
    const inside = join(path, entry.name)
    if (entry.isFile()) return name.test(entry.name) ? [inside] : []
    // Transcripts of subagents are skipped.
    const isRead = entry.isDirectory() && depth > 0 && entry.name !== "subagents"
    return isRead ? filesBelow(inside, name, depth - 1) : []
  })
}

/** A text that offers to import past sessions. Undefined if there are none, or an import has run before. */
export async function pastSessionsOffer(
  place: Located,
  folders: AgentFolders,
  state?: GraphState,
): Promise<string | undefined> {
  if (isImported(place.home)) return undefined
  // Sessions that ran with HiveMind are left out: their knowledge is in the graph.
  const attended = new Set([...(state?.session.values() ?? [])].map(({ host_id }) => host_id))
  const found = (await findSessions(place, folders)).filter(({ id }) => !attended.has(id))
  if (found.length === 0) return undefined
  return `This machine has ${describeSessions(found)} of this project from before HiveMind. \`hivemind import sessions\` reads them and keeps rules, decisions, failed approaches and commands as unconfirmed records; \`--dry-run\` shows the records first, \`--undo\` removes them. Nothing is read unless you agree.`
}

export function isImported(home: string): boolean {
  return openHistoryFiles(home, systemSource).sessions().length > 0
}

/** For example "12 past sessions (10 of Claude Code, 2 of OpenCode; 2026-01-06 to 2026-02-25, 6 MB)". */
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

// A Codex file's first line holds long instructions, and the session's folder comes after them.
const HEAD_BYTES = 1 << 17
