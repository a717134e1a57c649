import { jsonLines } from "./lines.ts"
import {
  type CallStep,
  callStep,
  cutOutput,
  fieldsOf,
  filesOfPatch,
  listOf,
  type Steps,
  textOf,
  textsIn,
  todosIn,
} from "./step.ts"

/** A session of Codex CLI: `response_item` lines are what the model was sent and said, `session_meta` has folder and branch. */
export function* readCodex(pieces: Iterable<Buffer>): Steps {
  const calls = new Map<string, CallStep>()
  let branch: string | null = null
  for (const record of jsonLines(pieces)) {
    if (record === undefined) {
      yield undefined
      continue
    }
    const { type, timestamp } = record
    const payload = fieldsOf(record["payload"])
    if (type === "session_meta") branch = textOf(fieldsOf(payload["git"])["branch"]) || null
    if (type !== "response_item") continue
    const { type: what, id, role, content, call_id, name, output } = payload
    const made = { ids: [textOf(id)], at: textOf(timestamp), branch }
    if (what === "message") {
      const text = textsIn(content).trim()
      if (role === "assistant") yield { what: "say", text, ...made }
      else if (role === "user" && !HOST_TEXT.test(text))
        yield { what: "user", text, rejectsCall: false, ...made }
    } else if (what === "function_call" || what === "custom_tool_call")
      calls.set(
        textOf(call_id),
        calledStep(made, textOf(name), textOf(payload["arguments"]) || textOf(payload["input"])),
      )
    else if (what === "function_call_output" || what === "custom_tool_call_output") {
      const call = calls.get(textOf(call_id))
      calls.delete(textOf(call_id))
      if (call !== undefined) yield { ...call, ids: [...call.ids, ...made.ids], ...resultOf(output) }
    }
  }
}

function calledStep(made: Pick<CallStep, "ids" | "at" | "branch">, name: string, given: string): CallStep {
  const args = argumentsOf(given)
  const { cmd, command } = args
  // Older versions give the words of the command, newer ones its text.
  const line =
    textOf(cmd) ||
    textOf(command) ||
    listOf(command)
      .map(textOf)
      .join(" ")
      .replace(/^(ba|z)?sh -l?c /, "")
  const patch = name === "apply_patch" ? textOf(args["input"]) || given : line
  const files = filesOfPatch(patch)
  if (files.length > 0) return callStep({ kind: "edit", files, ...made })
  if (name === "update_plan") return callStep({ kind: "todo", todos: todosIn(args["plan"]), ...made })
  return line === ""
    ? callStep({ kind: "other", command: name, ...made })
    : callStep({ kind: "run", command: line, ...made })
}

function argumentsOf(given: string): Record<string, unknown> {
  try {
    return fieldsOf(JSON.parse(given))
  } catch {
    return {} // A patch or a program is plain text.
  }
}

function resultOf(value: unknown): Pick<CallStep, "isOk" | "output"> {
  const whole = textsIn(value) || textOf(fieldsOf(value)["content"])
  const exit = /^(?:Process exited with code|Exit code:|Process exited with exit code) (\d+)/m.exec(
    whole,
  )?.[1]
  const json = exit === undefined ? /"exit_code":(\d+)/.exec(whole)?.[1] : exit
  const output = /\nOutput:\n([\s\S]*)$/.exec(whole)?.[1] ?? whole
  return { isOk: json === undefined ? null : json === "0", output: cutOutput(output) }
}

const HOST_TEXT =
  /^(<(environment_context|user_instructions|turn_aborted|hook_prompt|skill|permissions)|# AGENTS\.md instructions)/
