import { isApproval } from "../../shared/text/corrections.ts"
import { jsonLines } from "./lines.ts"
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
  type UserStep,
} from "./step.ts"

/**
 * A session of Claude Code: a record per line. What the user typed is in three places: user records, `queue-operation`
 * records (typed while the agent worked), and the results of rejected calls.
 */
export function* readClaude(pieces: Iterable<Buffer>): Steps {
  const calls = new Map<string, CallStep>()
  /** Typed while the agent worked, and not seen as a message of its own yet. */
  let queued: UserStep[] = []
  for (const record of jsonLines(pieces)) {
    if (record === undefined) {
      yield undefined
      continue
    }
    const { type, isMeta, isSidechain, isCompactSummary, uuid, timestamp, gitBranch, operation, content } =
      record
    const made = { ids: [textOf(uuid)], at: textOf(timestamp), branch: textOf(gitBranch) || null }
    if (type === "queue-operation") {
      const text = ownText(textOf(content))
      if (operation === "enqueue" && text !== "") queued.push(userStep(made, text))
      else if (operation === "dequeue") queued.shift()
      else if (operation === "popAll") queued = []
      else if (operation === "remove") yield* queued.splice(0, 1)
      continue
    }
    if (isMeta === true || isSidechain === true || isCompactSummary === true) continue
    const message = fieldsOf(record["message"])["content"]
    if (type === "assistant") {
      for (const part of listOf(message)) {
        const { type: what, text, id, name, input } = fieldsOf(part)
        if (what === "text") yield { what: "say", text: textOf(text), ...made }
        else if (what === "tool_use") calls.set(textOf(id), calledStep(made, textOf(name), fieldsOf(input)))
      }
    } else if (type === "user") {
      const said = ownText(textsIn(message))
      for (const part of listOf(message)) {
        const { type: what, tool_use_id, content: result, is_error } = fieldsOf(part)
        if (what !== "tool_result") continue
        const call = calls.get(textOf(tool_use_id)) ?? callStep({ kind: "other", ...made })
        calls.delete(textOf(tool_use_id))
        yield* answered(call, textsIn(result), is_error === true, made)
      }
      if (said === "") continue
      queued = queued.filter(({ text }) => text !== said)
      yield said.startsWith(PLAN) ? { what: "say", text: said, ...made } : userStep(made, said)
    }
  }
  yield* queued
}

type Made = Pick<Step, "ids" | "at" | "branch">

function* answered(
  call: CallStep,
  output: string,
  isError: boolean,
  made: Made,
): Generator<Step, void, void> {
  const ids = [...call.ids, ...made.ids]
  const [, words] = REJECTED.exec(output) ?? []
  if (words === undefined) {
    yield { ...call, ids, isOk: !isError, output: cutOutput(output) }
    return
  }
  yield { ...call, ids }
  const said = ownText(words)
  // Turning down a plan or a question is an answer.
  const rejectsCall = call.kind !== "other" && !isApproval(said)
  if (said !== "" && !CLARIFIES.test(said)) yield { ...userStep(made, said), rejectsCall }
}

function userStep(made: Made, text: string): UserStep {
  return { what: "user", text, rejectsCall: false, ...made }
}

function calledStep(made: Made, name: string, input: Record<string, unknown>): CallStep {
  const file = textOf(input["file_path"]) || textOf(input["notebook_path"])
  if (name === "Bash") return callStep({ kind: "run", command: textOf(input["command"]), ...made })
  if (name === "TodoWrite") return callStep({ kind: "todo", todos: todosIn(input["todos"]), ...made })
  if (/^(Write|Edit|MultiEdit|NotebookEdit)$/.test(name))
    return callStep({ kind: "edit", files: [file], ...made })
  return callStep({ kind: "other", command: name, ...made })
}

/** Without what the host puts beside the user's words. */
function ownText(text: string): string {
  const own = text.replaceAll(/<(system-reminder|ide_\w+)>[\s\S]*?<\/\1>/g, "").trim()
  return HOST_TEXT.test(own) ? "" : own
}

const REJECTED =
  /^The user doesn't want to (?:proceed|take this action)[\s\S]*?(?:the user said:\s*([\s\S]*)|STOP what you are doing()[\s\S]*)$/
const CLARIFIES = /^The user wants to clarify these questions/
/** A plan that the agent wrote, sent back as a prompt. */
const PLAN = "Implement the following plan:"
const HOST_TEXT =
  /^(<(command-|local-command|task-notification|bash-|user-prompt-submit-hook|teammate-message)|\[Request interrupted|Caveat: The messages below|This session is being continued from|Operation stopped by hook|Stop hook feedback|API Error)/
