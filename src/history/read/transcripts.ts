import { isApproval } from "../../shared/text/corrections.ts"
import { stepsOfLines, textLines } from "./lines.ts"
import {
  type AgentName,
  type CallStep,
  callStep,
  type Fields,
  fieldsOf,
  jsonIn,
  listOf,
  type Made,
  type Step,
  type Steps,
  textOf,
  textSteps,
  textsIn,
  withResult,
} from "./step.ts"

interface Format {
  agent: AgentName
  /** The format is recognized by the file's name and its beginning. */
  name: RegExp
  head: RegExp
  /** Matches the session's id in the file's beginning. Without it, the file's name is the id. */
  id?: RegExp
  read: (pieces: Iterable<Buffer>, path: string) => Steps
}

/** The format of a transcript; undefined if no format fits. A `.jsonl` file that fits no other counts as Claude Code's. */
export function formatOf(path: string, head: string): Format | undefined {
  return FORMATS.find((each) => each.name.test(path) && each.head.test(head))
}

const FORMATS: readonly Format[] = [
  {
    agent: "specstory",
    name: /\d{4}-\d\d-\d\d_\d\d-\d\d[^/\\]*\.md$/,
    head: /^/,
    id: /<!-- .{0,40}\bSession ([\w-]{8,})/,
    read: readSpecStory,
  },
  {
    agent: "codex",
    name: /\.jsonl$/,
    head: /"type":\s*"session_meta"/,
    id: /[{,]\s*"id":\s*"([^"]+)"/,
    read: readCodex,
  },
  {
    agent: "gemini",
    name: /\.jsonl$/,
    head: /"projectHash":/,
    id: /"sessionId":\s*"([^"]+)"/,
    read: readGemini,
  },
  { agent: "claude", name: /\.jsonl$/, head: /^/, read: readClaude },
]

/** Claude Code: the user's words are in user records, `queue-operation` records, and the results of rejected calls. */
function readClaude(pieces: Iterable<Buffer>): Steps {
  const calls = new Map<string, CallStep>()
  /** Messages that the user queued while the agent worked and that have not appeared as user records yet. */
  let queued: Step[] = []
  return stepsOfLines(pieces, stepsOf, () => queued)

  function* stepsOf(record: Fields): Generator<Step, void, void> {
    const { type, isMeta, isSidechain, isCompactSummary, operation } = record
    const at = textOf(record["timestamp"])
    const made = { ids: [textOf(record["uuid"])], at, branch: textOf(record["gitBranch"]) || null }
    if (type === "queue-operation") {
      if (operation === "enqueue") queued.push(...textSteps("user", ownText(textOf(record["content"])), made))
      else if (operation === "dequeue") queued.shift()
      else if (operation === "popAll") queued = []
      else if (operation === "remove") yield* queued.splice(0, 1)
    }
    const content = fieldsOf(record["message"])["content"]
    if (isMeta === true || isSidechain === true || isCompactSummary === true) return
    for (const part of listOf(content)) {
      const { type: what, text, id, name, input, tool_use_id, content: result, is_error } = fieldsOf(part)
      if (what === "tool_use") calls.set(textOf(id), callStep(made, textOf(name), input))
      else if (what === "tool_result") {
        const call = calls.get(textOf(tool_use_id))
        calls.delete(textOf(tool_use_id))
        if (call !== undefined) yield* answered(call, textsIn(result), is_error !== true, made)
      } else if (what === "text" && type === "assistant") yield* textSteps("say", textOf(text), made)
    }
    const said = type === "user" ? ownText(textsIn(content)) : ""
    queued = queued.filter((each) => each.what === "user" && each.text !== said)
    yield* textSteps(said.startsWith(CLAUDE_PLAN) ? "say" : "user", said, made)
  }
}

function* answered(call: CallStep, output: string, isOk: boolean, made: Made): Generator<Step, void, void> {
  const [rejected, words = ""] = CLAUDE_REJECTED.exec(output) ?? []
  yield rejected === undefined ? withResult(call, isOk, output, made) : withResult(call, null, "", made)
  const text = CLAUDE_CLARIFIES.test(words) ? "" : ownText(words)
  // A user who rejects a plan or a question has answered it, which is no rejected tool call.
  const rejectsCall = call.kind !== "other" && !isApproval(text)
  yield* textSteps("user", text, made).map((step) => ({ ...step, rejectsCall }))
}

/** The user's words without text that Claude Code has added. "" if all of it was added. */
function ownText(text: string): string {
  const own = text.replaceAll(/<(system-reminder|ide_\w+)>[\s\S]*?<\/\1>/g, "").trim()
  return CLAUDE_HOST_TEXT.test(own) ? "" : own
}

const CLAUDE_REJECTED =
  /^The user doesn't want to (?:proceed|take this action)[\s\S]*?(?:the user said:\s*([\s\S]*)|STOP what you are doing[\s\S]*)$/
const CLAUDE_CLARIFIES = /^The user wants to clarify these questions/
/** The start of a prompt that contains a plan of the agent itself. */
const CLAUDE_PLAN = "Implement the following plan:"
const CLAUDE_HOST_TEXT =
  /^(<(command-|local-command|task-notification|bash-|user-prompt-submit-hook|teammate-message)|\[Request interrupted|Caveat: The messages below|This session is being continued from|Operation stopped by hook|Stop hook feedback|API Error)/

/** Codex CLI: `response_item` lines have the messages from and to the model, `session_meta` has folder and branch. */
function readCodex(pieces: Iterable<Buffer>): Steps {
  const calls = new Map<string, CallStep>()
  let branch: string | null = null
  return stepsOfLines(pieces, (record): Step[] => {
    const payload = fieldsOf(record["payload"])
    if (record["type"] === "session_meta") branch = textOf(fieldsOf(payload["git"])["branch"]) || null
    if (record["type"] !== "response_item") return []
    const { id, type, role, content, call_id, name, arguments: args, input, output } = payload
    const made = { ids: [textOf(id)], at: textOf(record["timestamp"]), branch }
    const callId = textOf(call_id)
    if (type === "message") {
      const text = textsIn(content).trim()
      if (role === "assistant") return textSteps("say", text, made)
      return role === "user" && !CODEX_HOST_TEXT.test(text) ? textSteps("user", text, made) : []
    }
    // A custom tool has a text as input, such as a patch. Other tools have JSON.
    if (type === "function_call") calls.set(callId, callStep(made, textOf(name), jsonIn(args)))
    if (type === "custom_tool_call") calls.set(callId, callStep(made, textOf(name), { input }))
    const call = /^(function|custom_tool)_call_output$/.test(textOf(type)) ? calls.get(callId) : undefined
    if (call === undefined) return []
    calls.delete(callId)
    const whole = textsIn(output) || textOf(fieldsOf(output)["content"])
    const exit = CODEX_EXIT.exec(whole)?.[1]
    const shown = /\nOutput:\n([\s\S]*)$/.exec(whole)?.[1] ?? whole
    return [withResult(call, exit === undefined ? null : exit === "0", shown, made)]
  })
}

const CODEX_EXIT = /(?:^Process exited with (?:exit )?code |^Exit code: ?|"exit_code":)(\d+)/m
const CODEX_HOST_TEXT =
  /^(<(environment_context|user_instructions|turn_aborted|hook_prompt|skill|permissions)|# AGENTS\.md instructions)/

/** Gemini CLI: a message per line. A growing message, or a resumed session, repeats lines with the same id. */
function readGemini(pieces: Iterable<Buffer>): Steps {
  const done = new Set<unknown>()
  /** The latest version of the current message. */
  let current: Fields = {}
  return stepsOfLines(
    pieces,
    (record) => {
      if (textOf(record["id"]) === "" || done.has(record["id"])) return []
      const before = current
      current = record
      if (before["id"] === record["id"]) return []
      done.add(before["id"])
      return messageSteps(before)
    },
    () => messageSteps(current),
  )
}

function messageSteps({ id, timestamp, type, content, toolCalls }: Fields): Step[] {
  const made = { ids: [textOf(id)], at: textOf(timestamp), branch: null }
  const text = textsIn(content).trim()
  if (type === "user") return GEMINI_HOST_TEXT.test(text) ? [] : textSteps("user", text, made)
  if (type !== "gemini") return []
  const calls = listOf(toolCalls).map((each): Step => {
    const { name, args, result, status } = fieldsOf(each)
    const response = fieldsOf(fieldsOf(fieldsOf(listOf(result)[0])["functionResponse"])["response"])
    const output = (textOf(response["output"]) || textOf(response["error"]))
      .replaceAll(GEMINI_WRAPPING, "")
      .trim()
    const isOk = status === "success" && !("error" in response) && !/^Exit Code: [1-9]/m.test(output)
    return withResult(callStep(made, textOf(name), args), status === "cancelled" ? null : isOk, output)
  })
  return [...textSteps("say", text, made), ...calls]
}

const GEMINI_WRAPPING = /<\/?untrusted_context>|^Output: |^Process Group PGID: \d+$/gm
const GEMINI_HOST_TEXT =
  /^(<(session_context|hook_context|state_snapshot)>|Got it\. Thanks for the additional context)/

/** SpecStory: Markdown with a heading per speaker, in newer versions with a time. */
function* readSpecStory(pieces: Iterable<Buffer>, file: string): Steps {
  let speaker: "user" | "say" | undefined
  let [at, number, text] = [startIn(file), 0, ""]
  const said = () => {
    const own = text.replaceAll(/<(think|tool-use)\b[\s\S]*?<\/\1>/g, "").replace(/\n---\s*$/, "")
    const made = { ids: [`${++number}`], at, branch: null }
    return speaker === undefined ? [] : textSteps(speaker, own, made)
  }
  for (const line of textLines(pieces)) {
    const [, who, about = ""] = SPECSTORY_HEADING.exec(line ?? "") ?? []
    if (line === undefined) yield undefined
    else if (who === undefined) text += `${line}\n`
    else {
      yield* said()
      speaker = about.includes("sidechain") ? undefined : who === "User" ? "user" : "say"
      text = ""
      const time = Date.parse(SPECSTORY_TIME.exec(about)?.[0] ?? "")
      if (!Number.isNaN(time)) at = new Date(time).toISOString()
    }
  }
  yield* said()
}

/** The time in a file name such as `2026-02-11_10-30-05Z-fix-the-login.md`, or "". */
function startIn(file: string): string {
  const [, day, hour, minute, second = "00"] =
    /(\d{4}-\d\d-\d\d)_(\d\d)-(\d\d)(?:-(\d\d))?[^/\\]*$/.exec(file) ?? []
  return day === undefined ? "" : `${day}T${hour}:${minute}:${second}.000Z`
}

/** Matches `_**User**_`, `_**User (2026-02-11 10:30:05Z)**_`, `_**Agent (model 2026-02-11 10:30:05Z)**_`. */
const SPECSTORY_HEADING = /^_\*\*(User|Assistant|Agent)\b([^*]*)\*\*_\s*$/
const SPECSTORY_TIME = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?Z/
