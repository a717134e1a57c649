import type { FileEdit, ToolCall, ToolUse } from "../../gate/call.ts"
import { roleOf } from "../../gate/roles.ts"
import { MAX_WRITTEN_FILES } from "../../gate/shell/command-reading.ts"
import { type Fields, fieldsOf, stringOf } from "../host-values.ts"

/** A tool call as OpenCode's hooks and events give it. */
export interface HostCall {
  id: string
  session: string
  agent: string | null
  tool: string
  args: unknown
}

/** Translates a call of OpenCode into HiveMind's words. Arguments of an unexpected type count as missing. */
export function readCall({ id, session, agent, tool, args: given }: HostCall): ToolCall {
  const args = fieldsOf(given)
  const use = useOf(tool)
  const patch = use === "write" ? stringOf(args["patchText"]) : ""
  return {
    ...{ id, session, agent, tool, use },
    paths: use === "write" ? [...namedPaths(args), ...patchedPaths(patch)] : [],
    deletes: [...patch.matchAll(DELETED)].map(([, path = ""]) => path.trim()).slice(0, MAX_WRITTEN_FILES),
    edits: use === "write" ? editsIn(args) : [],
    command: SHELLS.has(tool) ? { text: stringOf(args["command"]), cwd: stringOf(args["workdir"]) } : null,
    subagent:
      use === "delegate"
        ? { agent: stringOf(args["subagent_type"]), prompt: stringOf(args["prompt"]) }
        : null,
    own: tool.startsWith(OWN) ? { tool: tool.slice(OWN.length), args } : null,
    prose: proseIn(args),
    signature: [tool, args],
    isReader: isReader(agent),
  }
}

/** False where a second call would not give the same again: a subagent's report, the user's answer, new ids. */
export function isRepeatable(tool: string): boolean {
  return !UNREPEATABLE.has(tool) && (!tool.startsWith(OWN) || SHELLS.has(tool))
}

function useOf(tool: string): ToolUse {
  return Object.hasOwn(USES, tool) ? (USES[tool] ?? "other") : tool.startsWith(OWN) ? "governance" : "other"
}

function namedPaths(args: Fields): string[] {
  return PATHS.map((name) => stringOf(args[name])).filter((path) => path !== "")
}

/**
 * The files that a patch in OpenCode's own format names. Only a line feed ends a line there: a path may hold other
 * characters that break lines elsewhere. Versions of OpenCode differ in whether a colon ends a path, so both are taken.
 */
function patchedPaths(patch: string): string[] {
  const paths = new Set<string>()
  for (const [, named = ""] of patch.matchAll(PATCHED)) {
    for (const path of [named, named.split(":", 1)[0] ?? ""]) if (path.trim() !== "") paths.add(path.trim())
    if (paths.size > MAX_PATCHED) break
  }
  return [...paths]
}

/** The new content of each file that a call writes; a patch is read file by file. */
function editsIn(args: Fields): FileEdit[] {
  const path = stringOf(args["filePath"])
  const { oldString, newString, content, patchText } = args
  if (path !== "" && typeof newString === "string")
    return [{ path, from: stringOf(oldString), to: newString }]
  if (path !== "" && typeof content === "string") return [{ path, from: null, to: content }]
  const parts = stringOf(patchText).slice(0, MAX_PATCH_CHARS).split(PATCHED_FILE).slice(1, MAX_PATCH_EDITS)
  return parts.map((part) => {
    const [patched = "", ...lines] = part.split("\n")
    const side = (mark: string) =>
      lines.flatMap((line) => (line.startsWith(mark) ? [line.slice(1)] : [])).join("\n")
    return { path: patched.trim(), from: side("-"), to: side("+") }
  })
}

/**
 * Prose about the work in the arguments of a call, and nothing else: code, commands, patterns and paths may
 * well speak of retries and loops.
 */
function proseIn(args: Fields): string {
  // In a call that names a file, `content` is the file's text.
  const isFile = PATHS.some((name) => name in args)
  const todos = Array.isArray(args["todos"]) ? args["todos"] : []
  return [
    ...PROSE.map((name) => args[name]),
    ...(isFile ? [] : [args["content"]]),
    ...todos.map((todo: unknown) => fieldsOf(todo)["content"]),
  ]
    .filter((words) => typeof words === "string")
    .map((words) => words.slice(0, MAX_PROSE_CHARS))
    .join("\n")
}

/** OpenCode's own reading agents count like the roles that read. */
function isReader(agent: string | null): boolean {
  const role = roleOf(agent)
  return role === "investigator" || role === "coordinator" || READERS.has(agent ?? "")
}

const USES: Record<string, ToolUse> = {
  read: "read",
  list: "read",
  ls: "read",
  lsp: "read",
  grep: "query",
  glob: "query",
  webfetch: "query",
  websearch: "query",
  codesearch: "query",
  write: "write",
  edit: "write",
  multiedit: "write",
  patch: "write",
  apply_patch: "write",
  bash: "run",
  hivemind_shell: "run",
  task: "delegate",
  todowrite: "governance",
  todoread: "governance",
  // OpenCode's answer to a call of a tool that does not exist.
  invalid: "governance",
}
const OWN = "hivemind_"
const SHELLS = new Set(["bash", "hivemind_shell"])
const PATCHED = /^[^\S\n]*\*\*\* (?:(?:Add|Update|Delete) File|Move to):([^\n]*)/gm
const PATCHED_FILE = /^\*\*\* (?:Add|Update) File:/m
const DELETED = /^[^\S\n]*\*\*\* Delete File:([^\n]*)/gm
// More than the gate lets through, so that it refuses them.
const MAX_PATCHED = 2 * MAX_WRITTEN_FILES
// Enough to recognise a change; a patch of megabytes is not read to its end.
const MAX_PATCH_CHARS = 100_000
const MAX_PATCH_EDITS = 20
const MAX_PROSE_CHARS = 2000
const UNREPEATABLE = new Set(["task", "skill", "todowrite", "question"])
const READERS = new Set(["plan", "explore"])
const PATHS = ["filePath", "path", "file"]
const PROSE = ["description", "prompt", "reason", "summary", "evidence", "intent", "question", "thought"]

/** The tools of OpenCode that a role without that ability does not see. `edit` hides all that write files. */
export const toolsFor = { write: ["edit"], shell: ["bash"], delegate: ["task"] } as const
