import type { ToolCall, ToolUse } from "../../gate/call.ts"
import { roleOf } from "../../gate/roles.ts"
import { MAX_WRITTEN_FILES } from "../../gate/shell/command-reading.ts"
import { proseIn } from "../prose.ts"
import { editsIn } from "./edits.ts"

/** A tool call as OpenCode's hooks and events give it. */
export interface HostCall {
  id: string
  session: string
  agent: string | null
  tool: string
  args: unknown
}

/** Reads a call into HiveMind's words; what cannot be read is not guessed. */
export function readCall({ id, session, agent, tool, args: given }: HostCall): ToolCall {
  const args = asObject(given)
  const own = tool.startsWith(OWN) ? { tool: tool.slice(OWN.length), args } : null
  const use = useOf(tool)
  return {
    id,
    session,
    agent,
    tool,
    use,
    paths: use === "write" ? writtenPaths(args) : [],
    deletes: use === "write" ? deletedPaths(text(args["patchText"])) : [],
    edits: use === "write" ? editsIn(args) : [],
    command: SHELLS.has(tool) ? { text: text(args["command"]), cwd: text(args["workdir"]) } : null,
    subagent:
      use === "delegate" ? { agent: text(args["subagent_type"]), prompt: text(args["prompt"]) } : null,
    own,
    // A call that names a file is about that.
    prose: proseIn(
      args,
      PATHS.some((name) => name in args),
    ),
    signature: [tool, args],
    isReader: isReader(agent),
  }
}

/** What a second call would not bring back: a subagent's report, a skill's text, an answer of the user's, ids of ours. */
export function isRepeatable(tool: string): boolean {
  return !UNREPEATABLE.has(tool) && (!tool.startsWith(OWN) || SHELLS.has(tool))
}

function useOf(tool: string): ToolUse {
  return Object.hasOwn(USES, tool) ? (USES[tool] ?? "other") : tool.startsWith(OWN) ? "governance" : "other"
}

function writtenPaths(args: Readonly<Record<string, unknown>>): string[] {
  const named = PATHS.map((name) => text(args[name])).filter((path) => path !== "")
  return [...named, ...patchedPaths(text(args["patchText"]))]
}

/**
 * The files that a patch in OpenCode's own format names. Only a line feed ends a line there: a path may hold other signs
 * that break lines elsewhere. Versions of OpenCode differ in whether a colon ends a path, so both are taken.
 */
function patchedPaths(patch: string): string[] {
  const paths = new Set<string>()
  for (const [, named = ""] of patch.matchAll(PATCHED)) {
    for (const path of [named, named.split(":", 1)[0] ?? ""]) if (path.trim() !== "") paths.add(path.trim())
    if (paths.size > MAX_PATCHED) break
  }
  return [...paths]
}

function deletedPaths(patch: string): string[] {
  const paths = [...patch.matchAll(DELETED)].map(([, path = ""]) => path.trim())
  return paths.slice(0, MAX_WRITTEN_FILES)
}

/** OpenCode's own reading agents count like the roles that read. */
function isReader(agent: string | null): boolean {
  const role = roleOf(agent)
  return role === "investigator" || role === "coordinator" || READERS.has(agent ?? "")
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {}
}

function text(value: unknown): string {
  return typeof value === "string" ? value : ""
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
const DELETED = /^[^\S\n]*\*\*\* Delete File:([^\n]*)/gm
// More than the gate lets through, so that it refuses them.
const MAX_PATCHED = 2 * MAX_WRITTEN_FILES
const UNREPEATABLE = new Set(["task", "skill", "todowrite", "question"])
const READERS = new Set(["plan", "explore"])
const PATHS = ["filePath", "path", "file"]

/** The tools of OpenCode that a role without that ability does not see. `edit` hides all that write files. */
export const toolsFor = { write: ["edit"], shell: ["bash"], delegate: ["task"] } as const
