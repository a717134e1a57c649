import type { ToolCall } from "../../gate/call.ts"
import { proseIn } from "../prose.ts"

/** A call of a tool of ours, as the gate takes it. Other calls are not seen here. */
export function ownCall(
  tool: string,
  args: Readonly<Record<string, unknown>>,
  who: Pick<ToolCall, "id" | "session" | "agent">,
): ToolCall {
  const command = args["command"]
  const isShell = tool === SHELL
  return {
    ...who,
    tool,
    use: isShell ? "run" : "governance",
    paths: [],
    edits: [],
    command: isShell ? { text: typeof command === "string" ? command : "", cwd: "" } : null,
    subagent: null,
    own: { tool: tool.slice(PREFIX.length), args },
    prose: proseIn(args, false),
    signature: [tool, args],
    isReader: false,
  }
}

/** What the work is about, in the words that a call brings. What is saved or asked for as memory is no work. */
export function wordsOf(tool: string, args: Readonly<Record<string, unknown>>): string {
  if (tool === MEMORY) return ""
  const words = WORDS.map((name) => args[name]).filter((each) => typeof each === "string")
  return words.join("\n").slice(0, MAX_CHARS)
}

const PREFIX = "hivemind_"
const SHELL = "hivemind_shell"
const MEMORY = "hivemind_memory"
const WORDS = ["intent", "title", "content", "question"]
const MAX_CHARS = 2000
