import { type Fields, fieldsOf, numberOf, stringOf } from "../host-values.ts"
import type { HookAgent, HookAnswer, HookEvent, HookResult, TranscriptEntry, Whose } from "./agent.ts"
import { callIn, each, mainIn, readEvent, textOf, writeAnswer } from "./payload.ts"

/** Codex CLI. A text that HiveMind adds at any event stays in its later requests, so notes are added right after each call. */
export const codex: HookAgent = {
  name: "codex",
  title: "Codex",
  // Codex cuts a text at 2,500 tokens, and counts 4 bytes as one token.
  maxBytes: 9_900,
  tools: {
    Bash: { is: "bash" },
    apply_patch: { is: "apply_patch", args: { command: "patchText" } },
    view_image: { is: "read", args: { path: "filePath" } },
    web_search: { is: "websearch" },
    ...each(["tool_search", "list_mcp_resources"], "list"),
    ...each(["list_mcp_resource_templates", "read_mcp_resource"], "list"),
    ...each(["update_plan", "create_goal", "update_goal"], "todowrite"),
    ...each(["get_goal", "request_user_input"], "todoread"),
    ...each(inNamespaces("wait_agent", "close_agent", "resume_agent", "send_input"), "todoread"),
    ...each(inNamespaces("send_message", "followup_task", "interrupt_agent", "list_agents"), "todoread"),
    ...each(inNamespaces("spawn_agent"), "task", { message: "prompt", agent_type: "subagent_type" }),
  },
  agentName,
  ownTool: /^mcp__hivemind__(hivemind_\w+)$/,
  callId: (meta) => stringOf(meta["callId"]) || undefined,
  claimId: (payload) =>
    (payload["hook_event_name"] === "UserPromptSubmit" && stringOf(payload["turn_id"])) || undefined,
  whose,
  read,
  write,
  transcript,
}

/** Most events have no `agent_id` for the hook to pass, so a subagent's id comes from its transcript's file name. */
function whose(payload: Fields): Whose {
  const main = mainIn(payload)
  const transcript = stringOf(payload["agent_transcript_path"] ?? main.transcript)
  const id = stringOf(payload["agent_id"]) || (THREAD.exec(transcript)?.[1] ?? main.session)
  const subagent = id === main.session ? null : { id, type: agentName(stringOf(payload["agent_type"])) }
  return { ...main, subagent, transcript }
}

function agentName(type: string): string {
  return type || "default"
}

function read(payload: Fields): HookEvent[] {
  if (payload["hook_event_name"] !== "PostToolUse") return readEvent(payload)
  return [{ what: "after call", call: callIn(payload), result: resultIn(payload) }, { what: "calls done" }]
}

/** Leaves out `show` at events that cannot carry text for the model. Codex takes no text for its summary. */
function write(event: string, answer: HookAnswer): string {
  const show = SHOWN_AT.has(event) ? answer.show : ""
  return writeAnswer(event, { ...answer, show })
}

function resultIn(payload: Fields): HookResult {
  const response = payload["tool_response"]
  const { content, isError } = fieldsOf(response)
  const said = content === undefined ? textOf(response) : textOf(content)
  if (payload["tool_name"] === "Bash") return { ok: true, exit: null, said, isSilent: said === "" }
  const failed = /^Exit code: [1-9]/.test(said) || isError === true
  return { ok: !failed, exit: null, said, child: endedAgent(said) }
}

/** The subagent that a call reports as completed, and its last message. */
function endedAgent(said: string): { id: string; report: string } | null {
  const [, id, text] = ENDED.exec(said) ?? []
  return id === undefined ? null : { id, report: JSON.parse(`"${text}"`) }
}

function transcript(line: Fields): TranscriptEntry | undefined {
  const payload = fieldsOf(line["payload"])
  const item = fieldsOf(payload["item"])
  switch (line["type"]) {
    case "turn_context":
      return { what: "model", name: `openai/${stringOf(payload["model"])}` }
    case "compacted":
      return { what: "summary", text: stringOf(payload["message"]) }
    case "token_usage_record":
      return usageIn(payload, Date.parse(stringOf(line["timestamp"])))
    case "event_msg": {
      const window = numberOf(fieldsOf(payload["info"])["model_context_window"])
      if (window !== null) return { what: "model", window }
      const exit = numberOf(item["exit_code"])
      return exit === null ? undefined : { what: "exit", call: stringOf(item["id"]), exit }
    }
    default:
      return undefined
  }
}

function usageIn(payload: Fields, at: number): TranscriptEntry {
  const usage = fieldsOf(payload["usage"])
  const count = (name: string) => numberOf(usage[name]) ?? 0
  const cache_read = count("cached_input_tokens")
  const cache_write = count("cache_write_input_tokens")
  const reasoning = count("reasoning_output_tokens")
  const input = count("input_tokens") - cache_read - cache_write
  const tokens = { input, output: count("output_tokens") - reasoning, reasoning, cache_read, cache_write }
  const message = stringOf(payload["response_id"])
  const answer = { message, at, model: "", window: undefined, tokens, cost: 0, isSummary: false }
  return { what: "usage", answer }
}

/** Hooks join namespace and tool name without a separator, and leave some namespaces out. */
function inNamespaces(...names: string[]): string[] {
  return names.flatMap((name) => [name, `multi_agent_v1${name}`, `collaboration${name}`])
}

const THREAD = /rollout-[\dT-]{19}-([\da-f-]{36})\.jsonl$/
const ENDED = /"([\da-f-]{36})":\{"completed":"((?:[^"\\]|\\.)*)"/
const SHOWN_AT = new Set(["SessionStart", "UserPromptSubmit", "PostToolUse"])
