import { type Fields, fieldsOf, numberOf, stringOf } from "../host-values.ts"
import type { HookAgent, HookAnswer, HookEvent, HookResult, TranscriptEntry, Whose } from "./agent.ts"
import { callIn, sourceOf, textOf, writeAnswer } from "./payload.ts"

/** Claude Code. Its texts are put where later requests keep them: never at PreToolUse or PostToolUse. */
export const claude: HookAgent = {
  name: "claude",
  title: "Claude Code",
  // From 10,001 characters on the model gets the first 2 kB and the name of a file.
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
    ToolSearch: { is: "list" },
    BashOutput: { is: "list" },
    TaskOutput: { is: "list" },
    TodoWrite: { is: "todowrite" },
    TaskCreate: { is: "todowrite" },
    TaskUpdate: { is: "todowrite" },
    TaskList: { is: "todoread" },
    TaskGet: { is: "todoread" },
    AskUserQuestion: { is: "todoread" },
    EnterPlanMode: { is: "todoread" },
    ExitPlanMode: { is: "todoread" },
    Agent: { is: "task" },
    Task: { is: "task" },
  },
  agentName,
  ownTool: (tool) => OWN_TOOL.exec(tool)?.[1],
  callId: (meta) => stringOf(meta["claudecode/toolUseId"]) || undefined,
  whose,
  read,
  write,
  transcript,
}

function whose(payload: Fields): Whose {
  const session = stringOf(payload["session_id"])
  const transcript = stringOf(payload["transcript_path"])
  const cwd = stringOf(payload["cwd"])
  const id = stringOf(payload["agent_id"])
  if (id === "") return { session, subagent: null, cwd, transcript }
  const type = agentName(stringOf(payload["agent_type"]))
  const own = transcript.replace(/\.jsonl$/, `/subagents/agent-${id}.jsonl`)
  return { session, subagent: { id, type }, cwd, transcript: own }
}

/** The agents of our plugin have its name in front. */
function agentName(type: string): string {
  return type.replace(/^hivemind:/, "")
}

function read(payload: Fields): HookEvent[] {
  switch (payload["hook_event_name"]) {
    case "SessionStart":
      return [{ what: "session start", why: sourceOf(payload["source"]), isShown: true }]
    case "UserPromptSubmit":
      return [{ what: "user message", text: stringOf(payload["prompt"]) }]
    case "PreToolUse":
      return [{ what: "before call", call: callIn(payload) }]
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
    case "SubagentStop":
      // A compaction fires it with an empty type.
      return stringOf(payload["agent_type"]) === ""
        ? []
        : [{ what: "subagent stop", said: stringOf(payload["last_assistant_message"]) }]
    case "Stop":
      return [{ what: "stop", said: stringOf(payload["last_assistant_message"]) }]
    case "SessionEnd":
      return [{ what: "session end" }]
    default:
      return []
  }
}

function write(event: string, answer: HookAnswer): string {
  // Plain text joins the instructions for the summary; JSON is refused there.
  return event === "PreCompact" ? answer.keep : writeAnswer(event, answer)
}

function callsIn(calls: unknown) {
  return (Array.isArray(calls) ? calls : []).map((each: unknown) => {
    const said = textOf(fieldsOf(each)["tool_response"])
    return { call: callIn(fieldsOf(each)), said, isError: said.startsWith(TOOL_ERROR) }
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

/** Some programs say "no" by exit code 1, as `test` and `grep` do: Claude Code counts that as a success, with its meaning. */
function exitIn({ backgroundTaskId, returnCodeInterpretation }: Fields): number | null {
  // A command that goes on in the background has not ended yet.
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
    // Messages of the program itself, such as the report of an error.
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

/** Undefined where it is not known: then nothing is said about how full the window is. */
function windowOf(model: string): number | undefined {
  if (model.includes("[1m]")) return 1_000_000
  return WINDOWS.find(([name]) => name.test(model))?.[1]
}

const OWN_TOOL = /^mcp__(?:plugin_hivemind_)?hivemind__(hivemind_\w+)$/
const TOOL_ERROR = "<tool_use_error>"
const WINDOWS: readonly (readonly [RegExp, number])[] = [
  [/opus-4-8/, 1_000_000],
  [/sonnet-4-5|haiku-4-5/, 200_000],
]
