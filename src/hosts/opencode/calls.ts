import type { FileEdit, ToolCall, ToolUse } from "../../gate/call.ts"
import { roleOf } from "../../gate/roles.ts"
import { MAX_WRITTEN_FILES } from "../../gate/shell/command-reading.ts"
import { type Fields, fieldsOf, stringOf } from "../host-values.ts"

export interface HostCall {
  id: string
  session: string
  agent: string | null
  tool: string
  args: unknown
}

/** Arguments of an unexpected type count as missing. */
export function readCall({ id, session, agent, tool, args: given }: HostCall): ToolCall {
  const args = fieldsOf(given)
  const use = USES.get(tool) ?? (tool.startsWith(OWN) ? "governance" : "other")
  const patch = use === "write" ? stringOf(args["patchText"]) : ""
  const named = PATHS.map((name) => stringOf(args[name]))
  return {
    ...{ id, session, agent, tool, use },
    paths: use === "write" ? [...named.filter((path) => path !== ""), ...patchedPaths(patch)] : [],
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

/** False if a second call would give another result: a subagent's report, the user's answer, new ids. */
export function isRepeatable(tool: string): boolean {
  return !UNREPEATABLE.has(tool) && (!tool.startsWith(OWN) || SHELLS.has(tool))
}

/** A path ends at a line feed. Some OpenCode versions end it at a colon, so both readings are returned. */
function patchedPaths(patch: string): string[] {
  const paths = new Set<string>()
  for (const [, named = ""] of patch.matchAll(PATCHED)) {
    for (const path of [named, named.split(":", 1)[0] ?? ""]) if (path.trim() !== "") paths.add(path.trim())
    if (paths.size > MAX_PATCHED) break
  }
  return [...paths]
}

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

/** The prose in the arguments. It leaves out code, commands and paths, where words like "retry" mean nothing. */
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

/** Whether the agent only reads: by its HiveMind role, or as one of OpenCode's own reading agents. */
function isReader(agent: string | null): boolean {
  const role = roleOf(agent)
  return role === "investigator" || role === "coordinator" || READERS.has(agent ?? "")
}

const TOOLS: Partial<Record<ToolUse, string>> = {
  read: "read list ls lsp",
  query: "grep glob webfetch websearch codesearch",
  write: "write edit multiedit patch apply_patch",
  run: "bash hivemind_shell",
  delegate: "task",
  // OpenCode reports a call of an unknown tool as a call of `invalid`.
  governance: "todowrite todoread invalid",
}
const USES = new Map(
  Object.entries(TOOLS).flatMap(([use, names]) => names.split(" ").map((name) => [name, use as ToolUse])),
)
const OWN = "hivemind_"
const SHELLS = new Set(["bash", "hivemind_shell"])
const PATCHED = /^[^\S\n]*\*\*\* (?:(?:Add|Update|Delete) File|Move to):([^\n]*)/gm
const PATCHED_FILE = /^\*\*\* (?:Add|Update) File:/m
const DELETED = /^[^\S\n]*\*\*\* Delete File:([^\n]*)/gm
// Twice as many files as the gate allows in a call, so that the gate can see that a patch has too many.
const MAX_PATCHED = 2 * MAX_WRITTEN_FILES
// Only the beginning of a long patch is read: it is enough to recognise a change.
const MAX_PATCH_CHARS = 100_000
const MAX_PATCH_EDITS = 20
const MAX_PROSE_CHARS = 2000
const UNREPEATABLE = new Set(["task", "skill", "todowrite", "question"])
const READERS = new Set(["plan", "explore"])
const PATHS = ["filePath", "path", "file"]
const PROSE = ["description", "prompt", "reason", "summary", "evidence", "intent", "question", "thought"]

/** OpenCode's tools to hide from a role without an ability. `edit` stands for all tools that write files. */
export const toolsFor = { write: ["edit"], shell: ["bash"], delegate: ["task"] } as const
