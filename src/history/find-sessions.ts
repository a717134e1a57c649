import { createHash } from "node:crypto"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { basename, join, sep } from "node:path"
import { type Located, realPath } from "../hive/locate.ts"
import { findRepository, linkedWorktrees } from "../shared/git-folders.ts"
import { listNamesOrEmpty } from "../shared/lenient-files.ts"
import { readClaude } from "./read/claude.ts"
import { readCodex } from "./read/codex.ts"
import { entireSessions } from "./read/entire.ts"
import { readGemini } from "./read/gemini.ts"
import { headOf, piecesOf } from "./read/lines.ts"
import { opencodeSessions, readOpencode } from "./read/opencode.ts"
import { readSpecStory } from "./read/specstory.ts"
import { type AgentName, type FoundSession, fieldsOf, isoTime, type Steps, textOf } from "./read/step.ts"

/** Where agents keep their sessions on this machine. */
export interface AgentFolders {
  claude: string
  codex: string
  gemini: string
  opencode: string
}

export function agentFolders(env: Readonly<Record<string, string | undefined>>, home: string): AgentFolders {
  return {
    claude: join(env["CLAUDE_CONFIG_DIR"] || join(home, ".claude"), "projects"),
    codex: env["CODEX_HOME"] || join(home, ".codex"),
    gemini: join(home, ".gemini"),
    opencode: join(env["XDG_DATA_HOME"] || join(home, ".local", "share"), "opencode"),
  }
}

/**
 * The past sessions of a project, oldest first: those that began in one of its worktrees, in a folder inside, or are kept in
 * its repository. Of other projects' sessions no more is read than the folder that they name.
 */
export async function findSessions(place: Located, folders: AgentFolders): Promise<FoundSession[]> {
  const own = ownFolders(place)
  const found = [...claudeSessions(folders.claude, own), ...codexSessions(folders.codex, own)]
  found.push(...geminiSessions(folders.gemini, own), ...opencodeFound(folders.opencode, own))
  // Entire and SpecStory copy sessions of other agents: those that are here already are not read twice.
  const known = new Set(found.map(({ id }) => id))
  found.push(...(await entireSessions(place.dir)).filter(({ id }) => !known.has(id)))
  for (const { id } of found) known.add(id)
  for (const folder of own.folders)
    found.push(...specStorySessions(folder).filter(({ id }) => !known.has(id)))
  const byId = new Map(found.map((each) => [`${each.agent} ${each.id}`, each]))
  return [...byId.values()].sort((a, b) => (a.modified < b.modified ? -1 : 1))
}

/** The sessions in a file or folder that the user named, whichever folder they began in. */
export function sessionsIn(path: string): FoundSession[] {
  return filesBelow(path, /\.(jsonl|md|db)$/, 4).flatMap((file) => {
    if (file.endsWith(".db")) return opencodeSessions(file).map((each) => opencodeSession(file, each))
    if (file.endsWith(".md")) return specStorySession(file)
    const head = headOf(file, HEAD_BYTES)
    if (/"type":\s*"session_meta"/.test(head))
      return fileSession("codex", file, codexId(file), () => readCodex(piecesOf(file)))
    if (/"projectHash":/.test(head))
      return fileSession("gemini", file, basename(file, ".jsonl"), () => readGemini(file))
    return claudeSession(file)
  })
}

interface OwnFolders {
  folders: string[]
  /** Whether a session that began in this folder is one of the project. */
  has: (folder: string) => boolean
}

function ownFolders({ home, dir, repository }: Located): OwnFolders {
  const linked = repository === null ? [] : linkedWorktrees(repository.commonDir)
  const folders = [...new Set([home, dir, ...linked].flatMap((each) => [each, realPath(each)]))]
  const tops = new Set(folders)
  return {
    folders,
    has(folder) {
      const inside = folders.some((own) => folder === own || folder.startsWith(own + sep))
      // A repository inside of the project is a project of its own.
      const top = inside ? findRepository(folder)?.top : undefined
      return (
        inside && (top === undefined || tops.has(top) || !folders.some((own) => top.startsWith(own + sep)))
      )
    },
  }
}

/** Claude Code names a project's folder after its path, which is not unique: each session says where it began. */
function claudeSessions(projects: string, own: OwnFolders): FoundSession[] {
  const keys = own.folders.map(claudeKey)
  const names = listNamesOrEmpty(projects).filter((name) =>
    keys.some((key) => name === key || name.startsWith(`${key}-`)),
  )
  return names.flatMap((name) =>
    filesBelow(join(projects, name), /\.jsonl$/, 1).flatMap((file) => {
      const folder = folderIn(headOf(file, HEAD_BYTES))
      if (folder === undefined) return []
      // A folder of another name was moved: Claude Code's folder was renamed with the project's.
      const isMoved =
        keys.includes(name) &&
        claudeKey(folder) !== name &&
        !keys.some((key) => claudeKey(folder).startsWith(key))
      return own.has(folder) || isMoved ? claudeSession(file) : []
    }),
  )
}

function claudeKey(folder: string): string {
  return folder.replaceAll(/[^A-Za-z0-9]/g, "-")
}

function claudeSession(file: string): FoundSession[] {
  return fileSession("claude", file, basename(file, ".jsonl"), () => readClaude(piecesOf(file)))
}

function codexSessions(home: string, own: OwnFolders): FoundSession[] {
  const files = ["sessions", "archived_sessions"].flatMap((name) =>
    filesBelow(join(home, name), /^rollout-.*\.jsonl$/, 4),
  )
  return files.flatMap((file) => {
    const head = headOf(file, HEAD_BYTES)
    const folder = folderIn(head)
    const isSubagent = /"thread_source":\s*"(?!user")/.test(head)
    if (folder === undefined || isSubagent || !own.has(folder)) return []
    return fileSession("codex", file, codexId(file), () => readCodex(piecesOf(file)))
  })
}

function codexId(file: string): string {
  return basename(file, ".jsonl").replace(/^rollout-\d{4}-\d\d-\d\dT[\d-]{8}-/, "")
}

/** Gemini CLI has a folder per project, named in a list; older versions named it after the hash of the path. */
function geminiSessions(home: string, own: OwnFolders): FoundSession[] {
  const listed = Object.entries(fieldsOf(fieldsOf(jsonIn(join(home, "projects.json")))["projects"]))
  const named = listed.flatMap(([folder, name]) => (own.has(folder) ? textOf(name) : []))
  const hashes = own.folders.map((folder) => createHash("sha256").update(folder).digest("hex"))
  return [...new Set([...named, ...hashes])].flatMap((name) =>
    filesBelow(join(home, "tmp", name, "chats"), /^session-.*\.jsonl$/, 1).flatMap((file) => {
      const { sessionId } =
        /"sessionId":\s*"(?<sessionId>[^"]+)"/.exec(headOf(file, HEAD_BYTES))?.groups ?? {}
      return sessionId === undefined ? [] : fileSession("gemini", file, sessionId, () => readGemini(file))
    }),
  )
}

function opencodeFound(home: string, own: OwnFolders): FoundSession[] {
  return filesBelow(home, /^opencode.*\.db$/, 0).flatMap((file) =>
    opencodeSessions(file)
      .filter(({ folder }) => own.has(folder))
      .map((each) => opencodeSession(file, each)),
  )
}

function opencodeSession(file: string, { id, updated }: { id: string; updated: number }): FoundSession {
  const modified = isoTime(updated)
  return {
    agent: "opencode",
    id,
    path: file,
    bytes: 0,
    modified,
    version: modified,
    open: async () => readOpencode(file, id),
  }
}

function specStorySessions(folder: string): FoundSession[] {
  return filesBelow(join(folder, ".specstory", "history"), /\.md$/, 0).flatMap(specStorySession)
}

/** `2026-02-11_10-30-05Z-fix-the-login.md` */
function specStorySession(file: string): FoundSession[] {
  const [, day, hour, minute, second = "00"] =
    /^(\d{4}-\d\d-\d\d)_(\d\d)-(\d\d)(?:-(\d\d))?Z?/.exec(basename(file)) ?? []
  if (day === undefined) return []
  // The agent's own session is named in a comment.
  const id = /<!-- .{0,40}\bSession ([\w-]{8,})/.exec(headOf(file, 2000))?.[1] ?? basename(file, ".md")
  return fileSession("specstory", file, id, () =>
    readSpecStory(file, `${day}T${hour}:${minute}:${second}.000Z`),
  )
}

function fileSession(agent: AgentName, path: string, id: string, read: () => Steps): FoundSession[] {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat === undefined || stat.size === 0) return []
  const version = `${stat.size} ${Math.floor(stat.mtimeMs)}`
  return [
    {
      agent,
      id,
      path,
      bytes: stat.size,
      modified: stat.mtime.toISOString(),
      version,
      open: async () => read(),
    },
  ]
}

/** The folder that a session names first. */
function folderIn(head: string): string | undefined {
  const [, text] = /"cwd":\s*"((?:[^"\\]|\\.)*)"/.exec(head) ?? []
  return text?.replaceAll(/\\(.)/g, "$1")
}

function filesBelow(path: string, name: RegExp, depth: number): string[] {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat?.isFile() === true) return [path]
  if (stat?.isDirectory() !== true) return []
  try {
    return readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
      const inside = join(path, entry.name)
      // Subagents have a folder of their own.
      if (entry.isDirectory())
        return depth > 0 && entry.name !== "subagents" ? filesBelow(inside, name, depth - 1) : []
      return entry.isFile() && name.test(entry.name) ? [inside] : []
    })
  } catch {
    return [] // Not for us to read.
  }
}

function jsonIn(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"))
  } catch {
    return undefined // The agent was never used.
  }
}

// The first line of Codex holds its instructions.
const HEAD_BYTES = 1 << 17
