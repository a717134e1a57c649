import { accessSync, constants, existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { basename, isAbsolute, join, resolve } from "node:path"
import { HiveError } from "../../shared/error.ts"

export const IMPORT_TOOLS = ["beads", "task-master", "backlog", "mcp-memory"] as const
export type ImportTool = (typeof IMPORT_TOOLS)[number]

/** Where to look. */
export interface Whereabouts {
  /** The folder that the command was called in: a path is relative to it. */
  dir: string
  /** The project's folder: where tools keep their files. */
  project: string
  /** The user's. */
  home: string
  /** What the memory server is told by its environment. */
  memoryFile: string | undefined
}

/** The file or folder of a tool that is to be read: the given one, or where the tool keeps it. Throws if there is none. */
export function locateSource(from: ImportTool, given: string | undefined, where: Whereabouts): string {
  const path = given === undefined ? keptPath(from, where) : givenPath(from, resolve(where.dir, given))
  try {
    accessSync(path, constants.R_OK)
  } catch {
    throw wrongKind(from, path, "You may not read it.")
  }
  return path
}

function keptPath(from: ImportTool, where: Whereabouts): string {
  const found = [...new Set(KEPT[from](where).filter((path) => existsSync(path)))]
  const [only] = found
  if (only === undefined) throw nothingHere(from, where)
  if (from === "mcp-memory" && found.length > 1) throw several(found)
  return only
}

function givenPath(from: ImportTool, path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat === undefined) throw notThere(from, path)
  if (!stat.isDirectory()) {
    // A pipe or a device may have no end.
    if (!stat.isFile()) throw wrongKind(from, path, "It is neither a file nor a folder.")
    if (from === "backlog") throw wrongKind(from, path, "It is a file; Backlog.md keeps a folder.")
    return path
  }
  const found = inFolder(from, path).find((each) => existsSync(each))
  if (found === undefined) throw wrongKind(from, path, `There is no ${WHAT[from]} in it.`)
  return found
}

/** What a folder that was named may hold, best first. */
function inFolder(from: ImportTool, dir: string): string[] {
  switch (from) {
    case "beads":
      return [...issueFiles(join(dir, ".beads")), ...issueFiles(dir)]
    case "task-master":
      return [".taskmaster/tasks/tasks.json", "tasks/tasks.json", "tasks.json"].map((name) => join(dir, name))
    case "backlog":
      return [...backlogFolders(dir), ...(isBacklog(dir) ? [dir] : [])]
    case "mcp-memory":
      return [join(dir, "memory.jsonl"), join(dir, "memory.json")]
  }
}

const KEPT: Readonly<Record<ImportTool, (where: Whereabouts) => string[]>> = {
  beads: ({ project }) => issueFiles(join(project, ".beads")),
  "task-master": ({ project }) =>
    [".taskmaster/tasks/tasks.json", "tasks/tasks.json"].map((name) => join(project, name)),
  backlog: ({ project }) => backlogFolders(project),
  "mcp-memory": (where) => memoryFiles(where),
}

/** `issues.jsonl`, `beads.jsonl` as it was once called, or the only other one; logs of its own are none. */
function issueFiles(folder: string): string[] {
  const names = listed(folder).filter((name) => name.endsWith(".jsonl") && !OWN_LOGS.test(name))
  const usual = ["issues.jsonl", "beads.jsonl"].filter((name) => names.includes(name))
  return (usual.length > 0 ? usual : names.length === 1 ? names : []).map((name) => join(folder, name))
}

function backlogFolders(dir: string): string[] {
  const own = configured(join(dir, "backlog.config.yml"))
  return [...(own === undefined ? [] : [own]), "backlog", ".backlog"]
    .map((name) => join(dir, name))
    .filter(isBacklog)
}

function configured(file: string): string | undefined {
  return /^backlog_directory:\s*["']?([^"'\n]+?)["']?\s*$/m.exec(textOf(file))?.[1]
}

function isBacklog(folder: string): boolean {
  const names = listed(folder)
  return ["tasks", "drafts", "completed", "config.yml", "config.yaml"].some((name) => names.includes(name))
}

/**
 * Where the server writes: the file that it is given in its environment, or one beside its own code, which is in the
 * project's packages or in npm's store for `npx`.
 */
function memoryFiles({ project: dir, home, memoryFile }: Whereabouts): string[] {
  const settings = [".mcp.json", "opencode.json", "opencode.jsonc", ".cursor/mcp.json", ".vscode/mcp.json"]
  const told = settings.flatMap((name) =>
    [...textOf(join(dir, name)).matchAll(/"MEMORY_FILE_PATH"\s*:\s*("(?:[^"\\\n]|\\.)*")/g)].map(
      ([, text = '""']) => unquoted(text),
    ),
  )
  const npx = join(home, ".npm", "_npx")
  const packages = [dir, ...listed(npx).map((name) => join(npx, name))].map((folder) =>
    join(folder, "node_modules", "@modelcontextprotocol", "server-memory", "dist"),
  )
  const named = [...(memoryFile === undefined ? [] : [memoryFile]), ...told].filter((path) => path !== "")
  if (named.length > 0) return named.map((path) => (isAbsolute(path) ? path : join(dir, path)))
  return [
    join(dir, "memory.jsonl"),
    ...packages.flatMap((folder) => [join(folder, "memory.jsonl"), join(folder, "memory.json")]),
  ]
}

function unquoted(text: string): string {
  try {
    return String(JSON.parse(text))
  } catch {
    return "" // No string that JSON knows.
  }
}

function listed(folder: string): string[] {
  try {
    return readdirSync(folder).sort()
  } catch {
    return [] // No such folder.
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return "" // No such file.
  }
}

function nothingHere(from: ImportTool, { project: dir }: Whereabouts): HiveError {
  const beads = join(dir, ".beads")
  const redirect = from === "beads" ? textOf(join(beads, "redirect")).trim() : ""
  const hasDatabase = from === "beads" && existsSync(beads)
  return new HiveError({
    code: "not_found",
    what: `Nothing of ${from} was found here.`,
    why:
      redirect !== ""
        ? `beads keeps its issues elsewhere: ${redirect}.`
        : hasDatabase
          ? "There is a `.beads` folder, but no file with issues in it: they are in its database only."
          : `There is no ${WHAT[from]}.`,
    use_instead:
      hasDatabase && redirect === ""
        ? "Run `bd export -o .beads/issues.jsonl` first."
        : `Name its path: \`hivemind import ${from} <path>\`.`,
    evidence: dir,
  })
}

function several(found: readonly string[]): HiveError {
  return new HiveError({
    code: "invalid_argument",
    what: "Nothing was imported: there are several memory files.",
    why: "Each is the memory of another set-up of the server.",
    use_instead: "Name one: `hivemind import mcp-memory <path>`.",
    evidence: found.join(", "),
  })
}

function notThere(from: ImportTool, path: string): HiveError {
  return new HiveError({
    code: "not_found",
    what: `Nothing was imported: ${path} is not there.`,
    why: "No file or folder has that path.",
    use_instead: `Name what the tool writes (${WHAT[from]}), or its project's folder.`,
    evidence: path,
  })
}

function wrongKind(from: ImportTool, path: string, why: string): HiveError {
  return new HiveError({
    code: "invalid_argument",
    what: `Nothing was imported from ${basename(path)}.`,
    why,
    use_instead: `Name what the tool writes (${WHAT[from]}), or its project's folder.`,
    evidence: path,
  })
}

const WHAT: Readonly<Record<ImportTool, string>> = {
  beads: "`.beads/issues.jsonl`",
  "task-master": "`.taskmaster/tasks/tasks.json` or `tasks/tasks.json`",
  backlog: "folder `backlog/`",
  "mcp-memory": "`memory.jsonl` of the server",
}
const OWN_LOGS = /^(interactions|deletions|molecules|routes|sync_base|events)\.jsonl$/
