/** HiveMind's tools and their actions. Texts that advise a call take its name from here, so that the call exists. */
export const toolActions = {
  session: ["start", "update", "status", "close", "resume", "settle", "restore"],
  plan: ["create", "plan_tasks", "status", "archive", "abandon"],
  task: ["start", "complete", "fail", "review", "status"],
  delegate: ["assign", "research", "recall", "status"],
  shell: [],
  memory: ["save", "recall", "list", "link", "flag", "stale", "purge", "tree"],
  anchor: ["save", "list", "get", "update", "remove"],
  inspect: ["scan", "deep", "drift", "trace"],
  hierarchy: ["status", "prune", "migrate"],
  cycle: ["export", "list", "prune"],
  scan: ["full", "incremental", "drift", "frameworks", "documents"],
  codemap: ["scan", "diff", "inconsistencies", "todos", "graph"],
} as const satisfies Record<string, readonly string[]>

export type ToolName = keyof typeof toolActions
export type ActionOf<T extends ToolName> = (typeof toolActions)[T][number]

export function toolName(tool: ToolName): string {
  return `${PREFIX}${tool}`
}

/** Names a call in a text: `hivemind_plan status`. */
export function callText<T extends ToolName>(tool: T, action: ActionOf<T>): string {
  return `${toolName(tool)} ${action}`
}

export function namesOwnTool(text: string): boolean {
  return text.includes(PREFIX)
}

/** The author of log entries that a tool of the host has caused: `tool write`. */
export function hostToolAuthor(tool: string): string {
  return `${HOST_TOOL}${tool}`.slice(0, MAX_AUTHOR_CHARS)
}

/** The tool in the author of a log entry. Undefined if the author is not a tool. */
export function toolOfAuthor(author: string): string | undefined {
  if (author.startsWith(PREFIX)) return author
  return author.startsWith(HOST_TOOL) ? author.slice(HOST_TOOL.length) : undefined
}

const HOST_TOOL = "tool "
const MAX_AUTHOR_CHARS = 100
const PREFIX = "hivemind_"
