import { type GateCall, isWrite } from "../gate/call.ts"

/** What a tool call is for. */
export const toolUses = ["read", "query", "write", "run", "governance", "other"] as const
export type ToolUse = (typeof toolUses)[number]

/** By what the call does: a shell command may read, write, or run something. */
export function useOfCall(call: GateCall): ToolUse {
  if (isWrite(call)) return "write"
  if (call.shell !== null) return call.shell.kind === "read" ? "read" : "run"
  return useOfTool(call.tool)
}

/** By its name alone, where nothing else is known. */
export function useOfTool(tool: string): ToolUse {
  return USES[tool] ?? (tool.startsWith("hivemind_") ? "governance" : "other")
}

/** The tool's name in counters. There are only so many: servers of the user's may bring any number of others. */
export function countedTool(tool: string): string {
  return Object.hasOwn(USES, tool) ? tool : useOfTool(tool)
}

const USES: Partial<Record<string, ToolUse>> = Object.assign(Object.create(null), {
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
  task: "run",
  hivemind_shell: "run",
  todowrite: "governance",
  todoread: "governance",
  invalid: "other",
} satisfies Record<string, ToolUse>)
