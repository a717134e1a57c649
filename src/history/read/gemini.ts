import { jsonLines, piecesOf } from "./lines.ts"
import {
  type CallStep,
  callStep,
  cutOutput,
  fieldsOf,
  listOf,
  type Step,
  type Steps,
  textOf,
  textsIn,
  todosIn,
} from "./step.ts"

/**
 * A session of Gemini CLI: a message per line, again with the same id as it grows. A resumed session repeats what came before under the same ids.
 */
export function* readGemini(path: string): Steps {
  const done = new Set<string>()
  /** The newest version of the message that is being written. */
  let current: Record<string, unknown> | undefined
  for (const record of jsonLines(piecesOf(path))) {
    if (record === undefined) {
      yield undefined
      continue
    }
    const id = textOf(record["id"])
    if (id === "" || done.has(id)) continue
    if (current !== undefined && current["id"] !== id) {
      done.add(textOf(current["id"]))
      yield* stepsOf(current)
    }
    current = record
  }
  if (current !== undefined) yield* stepsOf(current)
}

function* stepsOf({
  id,
  timestamp,
  type,
  content,
  toolCalls,
}: Record<string, unknown>): Generator<Step, void, void> {
  const made = { ids: [textOf(id)], at: textOf(timestamp), branch: null }
  const text = textsIn(content).trim()
  if (type === "user") {
    if (text !== "" && !HOST_TEXT.test(text)) yield { what: "user", text, rejectsCall: false, ...made }
    return
  }
  if (type !== "gemini") return
  if (text !== "") yield { what: "say", text, ...made }
  for (const each of listOf(toolCalls)) yield calledStep(made, fieldsOf(each))
}

function calledStep(made: Pick<CallStep, "ids" | "at" | "branch">, call: Record<string, unknown>): CallStep {
  const name = textOf(call["name"])
  const args = fieldsOf(call["args"])
  const response = fieldsOf(fieldsOf(fieldsOf(listOf(call["result"])[0])["functionResponse"])["response"])
  const output = cutOutput(
    (textOf(response["output"]) || textOf(response["error"]))
      .replaceAll(/<\/?untrusted_context>|^Output: |^Process Group PGID: \d+$/gm, "")
      .trim(),
  )
  const isOk = call["status"] === "success" && !("error" in response) && !/^Exit Code: [1-9]/m.test(output)
  const result = { output, isOk: call["status"] === "cancelled" ? null : isOk }
  if (name === "run_shell_command")
    return callStep({ kind: "run", command: textOf(args["command"]), ...result, ...made })
  if (name === "write_todos") return callStep({ kind: "todo", todos: todosIn(args["todos"]), ...made })
  if (name === "write_file" || name === "replace")
    return callStep({ kind: "edit", files: [textOf(args["file_path"])], ...result, ...made })
  return callStep({ kind: "other", command: name, ...result, ...made })
}

const HOST_TEXT =
  /^(<(session_context|hook_context|state_snapshot)>|Got it\. Thanks for the additional context)/
