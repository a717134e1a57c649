import { type Fields, fieldsOf, numberOf, stringOf } from "../host-values.ts"
import type { HookAgent, HookAnswer, HookEvent, HookResult, TranscriptEntry, Whose } from "./agent.ts"
import { callIn, each, mainIn, readEvent, textOf, writeAnswer } from "./payload.ts"

/** Claude Code. Later requests lack the texts of PreToolUse and PostToolUse, so these events never show any. */
export const claude: HookAgent = {
  name: "claude",
  title: "Claude Code",
  // Of a longer text, the model gets only the first 2 kB and a file name.
  maxBytes: 10_000,
  tools: {
    Bash: { is: "bash" },
    Write: { is: "write", args: { file_path: "filePath" } },
    Edit: { is: "edit", args: { file_path: "filePath", old_string: "oldString", new_string: "newString" } },
    NotebookEdit: { is: "write", args: { notebook_path: "filePath", new_source: "content" } },
    Read: { is: "read", args: { file_path: "filePath" } },
    Glob: { is: "glob" },
    Grep: { is: "grep" },
    WebFetch: { is: "webfetch" },
    WebSearch: { is: "websearch" },
    ...each(["ToolSearch", "BashOutput", "TaskOutput"], "list"),
    ...each(["TodoWrite", "TaskCreate", "TaskUpdate"], "todowrite"),
    ...each(["TaskList", "TaskGet", "AskUserQuestion", "EnterPlanMode", "ExitPlanMode"], "todoread"),
    ...each(["Agent", "Task"], "task"),
  },
  agentName,
  ownTool: /^mcp__(?:plugin_hivemind_)?hivemind__(hivemind_\w+)$/,
  callId: (meta) => stringOf(meta["claudecode/toolUseId"]) || undefined,
  whose,
  read,
  write,
  transcript,
}

function whose(payload: Fields): Whose {
  const main = mainIn(payload)
  const id = stringOf(payload["agent_id"])
  if (id === "") return main
  const type = agentName(stringOf(payload["agent_type"]))
  const transcript = main.transcript.replace(/\.jsonl$/, `/subagents/agent-${id}.jsonl`)
  return { ...main, subagent: { id, type }, transcript }
}

function agentName(type: string): string {
  return type.replace(/^hivemind:/, "")
}

function read(payload: Fields): HookEvent[] {
  switch (payload["hook_event_name"]) {
    case "PostToolUse":
      return [{ what: "after call", call: callIn(payload), result: resultIn(payload) }]
    case "PostToolUseFailure":
      return [{ what: "after call", call: callIn(payload), result: failureIn(payload) }]
    case "PostToolBatch":
      return [{ what: "calls done", calls: callsIn(payload["tool_calls"]) }]
    case "PreCompact":
      return [{ what: "before compaction" }]
    case "SubagentStart":
      return [{ what: "subagent start" }]
    case "SessionEnd":
      return [{ what: "session end" }]
    case "SubagentStop":
      // A compaction fires this event too, with an empty agent type.
      return payload["agent_type"] ? readEvent(payload) : []
    default:
      return readEvent(payload)
  }
}

function write(event: string, answer: HookAnswer): string {
  // Claude Code adds plain text to its instructions for the summary, and refuses JSON here.
  return event === "PreCompact" ? answer.keep : writeAnswer(event, answer)
}

function callsIn(calls: unknown) {
  return (Array.isArray(calls) ? calls : []).map((each: unknown) => {
    const said = textOf(fieldsOf(each)["tool_response"])
    return { call: callIn(fieldsOf(each)), said, isError: said.startsWith("<tool_use_error>") }
  })
}

function resultIn(payload: Fields): HookResult {
  const response = fieldsOf(payload["tool_response"])
  const { stdout, stderr, agentId, content, status } = response
  const isCommand = payload["tool_name"] === "Bash"
  const said = isCommand
    ? [stdout, stderr].map(stringOf).filter(Boolean).join("\n")
    : textOf(payload["tool_response"])
  const isChildDone = typeof agentId === "string" && status === "completed"
  return {
    ok: true,
    exit: isCommand ? exitIn(response) : null,
    said,
    isSilent: isCommand && said === "",
    isStopped: response["interrupted"] === true,
    child: isChildDone ? { id: agentId, report: textOf(content) } : null,
  }
}

/** Exit code 1 of `grep`, `test` and the like is no failure for Claude Code, which adds an interpretation instead. */
function exitIn({ backgroundTaskId, returnCodeInterpretation }: Fields): number | null {
  if (backgroundTaskId !== undefined) return null
  return returnCodeInterpretation === undefined ? 0 : 1
}

function failureIn(payload: Fields): HookResult {
  const error = stringOf(payload["error"])
  const [, code, output = error] = /^Exit code (\d+)\n?([\s\S]*)$/.exec(error) ?? []
  return {
    ok: false,
    exit: code === undefined ? null : Number(code),
    said: output,
    isSilent: output === "",
    isStopped: payload["is_interrupt"] === true,
  }
}

function transcript(line: Fields): TranscriptEntry | undefined {
  const message = fieldsOf(line["message"])
  if (line["type"] === "assistant") {
    const usage = fieldsOf(message["usage"])
    const counts = ["input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"]
    const [input = 0, output = 0, cache_read = 0, cache_write = 0] = counts.map(
      (name) => numberOf(usage[name]) ?? 0,
    )
    const model = stringOf(message["model"])
    if (model === "" || model.startsWith("<")) return undefined
    const tokens = { input, output, reasoning: 0, cache_read, cache_write }
    const at = Date.parse(stringOf(line["timestamp"]))
    const answer = { message: stringOf(message["id"]), at, model: `anthropic/${model}`, tokens, cost: 0 }
    return { what: "usage", answer: { ...answer, window: windowOf(model), isSummary: false } }
  }
  const { type, commandMode, prompt } = fieldsOf(line["attachment"])
  if (type === "queued_command" && commandMode === "prompt") return { what: "typed", text: textOf(prompt) }
  if (line["isCompactSummary"] === true) return { what: "summary", text: textOf(message["content"]) }
  return undefined
}

/** Undefined for an unknown model: HiveMind then does not report how full the context window is. */
function windowOf(model: string): number | undefined {
  if (model.includes("[1m]")) return 1_000_000
  return WINDOWS.find(([name]) => name.test(model))?.[1]
}

const WINDOWS: readonly (readonly [RegExp, number])[] = [
  [/opus-4-8/, 1_000_000],
  [/sonnet-4-5|haiku-4-5/, 200_000],
]
