import { existsSync, statSync } from "node:fs"
import { isAbsolute, join, resolve } from "node:path"
import { type ErrorCode, HiveError } from "../../shared/error.ts"
import { isReadable, listNamesOrEmpty, readTextOrUndefined } from "../../shared/lenient-files.ts"

export const IMPORT_TOOLS = ["beads", "task-master", "backlog", "mcp-memory"] as const
export type ImportTool = (typeof IMPORT_TOOLS)[number]

export interface Whereabouts {
  dir: string
  project: string
  home: string
  memoryFile: string | undefined
}

/** Finds the file or folder to import: at the given path, or where the tool usually keeps it. Throws if there is none. */
export function locateSource(from: ImportTool, given: string | undefined, where: Whereabouts): string {
  const path = given === undefined ? defaultPath(from, where) : givenPath(from, resolve(where.dir, given))
  if (isReadable(path)) return path
  throw cannotImport(from, "invalid_argument", "You have no permission to read the file.", path)
}

function defaultPath(from: ImportTool, where: Whereabouts): string {
  const candidates = from === "mcp-memory" ? memoryFiles(where) : pathsIn(from, where.project)
  const found = [...new Set(candidates.filter((path) => existsSync(path)))]
  const [only] = found
  if (only === undefined) throw nothingHere(from, where.project)
  if (from !== "mcp-memory" || found.length === 1) return only
  const why = "There are several memory files, one for each configuration of the server."
  throw cannotImport(from, "invalid_argument", why, found.join(", "))
}

function givenPath(from: ImportTool, path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat === undefined) throw cannotImport(from, "not_found", "No file or folder has that path.", path)
  if (stat.isDirectory()) {
    const found = [...pathsIn(from, path), ...ownPathsIn(from, path)].find((each) => existsSync(each))
    if (found !== undefined) return found
    throw cannotImport(from, "invalid_argument", `The folder has no ${WHAT[from]}.`, path)
  }
  // Other kinds of files are refused: reading a pipe or a device may never end.
  if (stat.isFile() && from !== "backlog") return path
  const why = stat.isFile()
    ? "The path is a file, but Backlog.md stores its records in a folder."
    : "The path is neither a file nor a folder."
  throw cannotImport(from, "invalid_argument", why, path)
}

function pathsIn(from: ImportTool, project: string): string[] {
  if (from === "beads") return issueFiles(join(project, ".beads"))
  if (from === "mcp-memory") return [join(project, "memory.jsonl"), join(project, "memory.json")]
  if (from === "task-master")
    return [".taskmaster/tasks/tasks.json", "tasks/tasks.json"].map((name) => join(project, name))
  const config = readTextOrUndefined(join(project, "backlog.config.yml")) ?? ""
  const [, named = "backlog"] = /^backlog_directory:\s*["']?([^"'\n]+?)["']?\s*$/m.exec(config) ?? []
  return [named, "backlog", ".backlog"].map((name) => join(project, name)).filter(isBacklog)
}

function ownPathsIn(from: ImportTool, folder: string): string[] {
  if (from === "beads") return issueFiles(folder)
  if (from === "task-master") return [join(folder, "tasks.json")]
  return from === "backlog" && isBacklog(folder) ? [folder] : []
}

/** Finds the issues: `issues.jsonl`, in older versions `beads.jsonl`, or else the only `.jsonl` file that is no log. */
function issueFiles(folder: string): string[] {
  const names = listNamesOrEmpty(folder).filter((name) => name.endsWith(".jsonl") && !BEADS_LOGS.test(name))
  const usual = ["issues.jsonl", "beads.jsonl"].filter((name) => names.includes(name))
  return (usual.length > 0 ? usual : names.length === 1 ? names : []).map((name) => join(folder, name))
}

function isBacklog(folder: string): boolean {
  const names = listNamesOrEmpty(folder)
  return ["tasks", "drafts", "completed", "config.yml", "config.yaml"].some((name) => names.includes(name))
}

/** The places of memory files: as the environment or a configuration says, else the usual places. */
function memoryFiles({ project, home, memoryFile }: Whereabouts): string[] {
  const settings = [".mcp.json", "opencode.json", "opencode.jsonc", ".cursor/mcp.json", ".vscode/mcp.json"]
  const configured = settings.flatMap((name) =>
    [
      ...(readTextOrUndefined(join(project, name)) ?? "").matchAll(
        /"MEMORY_FILE_PATH"\s*:\s*"((?:[^"\\\n]|\\.)*)"/g,
      ),
    ].map(([, text = ""]) => text.replaceAll(/\\(.)/g, "$1")),
  )
  const named = [memoryFile ?? "", ...configured].filter((path) => path !== "")
  if (named.length > 0) return named.map((path) => (isAbsolute(path) ? path : join(project, path)))
  const npx = join(home, ".npm", "_npx")
  const servers = [
    project,
    ...listNamesOrEmpty(npx)
      .sort()
      .map((name) => join(npx, name)),
  ].map((folder) => join(folder, "node_modules", "@modelcontextprotocol", "server-memory", "dist"))
  return [join(project, "memory.jsonl"), ...servers.flatMap((folder) => pathsIn("mcp-memory", folder))]
}

function nothingHere(from: ImportTool, project: string): HiveError {
  const isDatabaseOnly = from === "beads" && existsSync(join(project, ".beads"))
  return new HiveError({
    code: "not_found",
    what: `No data of ${from} was found in this project.`,
    why: isDatabaseOnly
      ? "The `.beads` folder has no file with issues: they are in the database of beads, or elsewhere."
      : `The project has no ${WHAT[from]}.`,
    use_instead: isDatabaseOnly
      ? "Run `bd export -o .beads/issues.jsonl` first."
      : `Give the path of the data: \`hivemind import ${from} <path>\`.`,
    evidence: project,
  })
}

function cannotImport(from: ImportTool, code: ErrorCode, why: string, evidence: string): HiveError {
  const use_instead = `Give the path of the tool's data (${WHAT[from]}), or of the project that has it.`
  const what = `Nothing was imported${code === "not_found" ? `: ${evidence} does not exist` : ""}.`
  return new HiveError({ code, what, why, use_instead, evidence })
}

const WHAT: Readonly<Record<ImportTool, string>> = {
  beads: "`.beads/issues.jsonl`",
  "task-master": "`.taskmaster/tasks/tasks.json` or `tasks/tasks.json`",
  backlog: "folder `backlog/`",
  "mcp-memory": "`memory.jsonl` of the server",
}
const BEADS_LOGS = /^(interactions|deletions|molecules|routes|sync_base|events)\.jsonl$/
