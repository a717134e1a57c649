import { createHash } from "node:crypto"
import { type Fields, fieldsOf, numberOf, stringOf } from "../host-values.ts"
import type { HookAgent, HookAnswer, HookCall, HookEvent, HookResult, TranscriptEntry } from "./agent.ts"
import { each, mainIn, textOf } from "./payload.ts"

/** Gemini CLI. Its hooks send no call ids and no subagent names, and none of them reports a compaction. */
export const gemini: HookAgent = {
  name: "gemini",
  title: "Gemini CLI",
  tools: {
    run_shell_command: { is: "bash", args: { dir_path: "workdir" } },
    write_file: { is: "write", args: { file_path: "filePath" } },
    replace: {
      is: "edit",
      args: { file_path: "filePath", old_string: "oldString", new_string: "newString" },
    },
    read_file: { is: "read", args: { file_path: "filePath" } },
    read_many_files: { is: "read" },
    list_directory: { is: "list" },
    glob: { is: "glob" },
    ...each(["grep_search", "search_file_content"], "grep"),
    web_fetch: { is: "webfetch" },
    google_web_search: { is: "websearch" },
    write_todos: { is: "todowrite" },
    ...each(["ask_user", "activate_skill", "complete_task", "enter_plan_mode", "exit_plan_mode"], "todoread"),
    invoke_agent: { is: "task", args: { agent_name: "subagent_type" } },
  },
  agentName: (type) => type,
  ownTool: /^mcp_hivemind_(hivemind_\w+)$/,
  hidesSubagents: true,
  whose: mainIn,
  read,
  write,
  transcript,
}

/** `SessionStart` is ignored: a text there would hide the user's prompt when a non-interactive run is resumed. */
function read(payload: Fields): HookEvent[] {
  switch (payload["hook_event_name"]) {
    case "BeforeAgent":
      return [{ what: "user message", text: stringOf(payload["prompt"]) }]
    case "BeforeTool":
      return [{ what: "before call", call: callIn(payload) }]
    case "AfterTool": {
      const call = callIn(payload)
      return [{ what: "after call", call, result: resultIn(payload, call) }, { what: "calls done" }]
    }
    case "AfterAgent":
      return [{ what: "stop", said: stringOf(payload["prompt_response"]) }]
    case "SessionEnd":
      return [{ what: "session end" }]
    default:
      return []
  }
}

function write(event: string, { show, deny, goOn, tell }: HookAnswer): string {
  const reason = deny || goOn
  const answer = {
    ...(reason !== "" && { decision: "deny", reason }),
    ...(show !== "" && { hookSpecificOutput: { hookEventName: event, additionalContext: inBrackets(show) } }),
    ...(tell !== "" && { systemMessage: tell }),
  }
  return JSON.stringify(answer)
}

/** Gemini CLI escapes `<` and `>`, so tags get square brackets; a `[` that only looks like a tag becomes `(`. */
function inBrackets(text: string): string {
  return text
    .replace(/\[(?=\/|hivemind|\w+ \w+=)/g, "(")
    .replaceAll("<", "[")
    .replaceAll(">", "]")
}

/** The id is a hash of tool and arguments: nothing else connects a call with its result. */
function callIn(payload: Fields): HookCall {
  const tool = stringOf(payload["tool_name"])
  const args = fieldsOf(payload["tool_input"])
  const hash = createHash("sha256").update(JSON.stringify([tool, args]))
  const id = hash.digest("hex").slice(0, 16)
  return { id, tool, args }
}

function resultIn(payload: Fields, { id, tool, args }: HookCall): HookResult {
  const response = fieldsOf(payload["tool_response"])
  const said = textOf(response["llmContent"]).replaceAll(WRAPPER, "")
  const { message } = fieldsOf(response["error"])
  const isStopped = /cancel+ed by (the )?user/i.test(stringOf(message) || said.slice(0, 200))
  const ok = message === undefined && !isStopped
  if (tool !== "run_shell_command") {
    const child = tool === "invoke_agent" ? { id, report: said } : null
    return { ok, exit: null, said, isStopped, child }
  }
  const output =
    /^Output: ([\s\S]*?)(?:\n(?:Exit Code|Process Group PGID|Background PIDs|Error|Signal):|$)/m.exec(said)
  const shown = (output?.[1] ?? said).replace(/^\(empty\)$/, "")
  const exit = Number(/^Exit Code: (\d+)$/m.exec(said)?.[1] ?? 0)
  const isKnown = ok && args["is_background"] !== true && !/^Signal:/m.test(said)
  return { ok, exit: isKnown ? exit : null, said: shown, isSilent: shown === "", isStopped }
}

function transcript(line: Fields): TranscriptEntry | undefined {
  const { messages } = fieldsOf(line["$set"])
  if (Array.isArray(messages)) {
    const summary = messages
      .map((message: unknown) => textOf(fieldsOf(message)["content"]))
      .find((text) => text.includes("<state_snapshot>"))
    return summary === undefined ? undefined : { what: "compacted", text: summary }
  }
  const counts = fieldsOf(line["tokens"])
  if (line["type"] !== "gemini" || typeof counts["total"] !== "number") return undefined
  const count = (name: string) => numberOf(counts[name]) ?? 0
  const tokens = {
    input: count("input") - count("cached") + count("tool"),
    output: count("output"),
    reasoning: count("thoughts"),
    cache_read: count("cached"),
    cache_write: 0,
  }
  const message = stringOf(line["id"])
  const at = Date.parse(stringOf(line["timestamp"]))
  const model = `google/${stringOf(line["model"])}`
  // All models of Gemini CLI have this context window.
  const window = 1_048_576
  return { what: "usage", answer: { message, at, model, window, tokens, cost: 0, isSummary: false } }
}

const WRAPPER = /<\/?untrusted_context>\n?/g
