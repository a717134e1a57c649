import { shorten } from "../../shared/text/clean.ts"
import type { ToolReply } from "../../tools/tool.ts"
import { fieldsOf, stringOf } from "../host-values.ts"

/** A call of one of our tools in one line for people: its action, and what the call is about. */
export function titleOf(args: unknown, reply: ToolReply): string {
  const given = fieldsOf(args)
  const action = stringOf(given["action"])
  if (reply.status === "error") return shorten(`${action || "call"} refused: ${reply.what}`, MAX_TITLE)
  const named = SUBJECTS.map((name) => stringOf(given[name]) || stringOf(reply[name]))
  const subject = named.find((text) => text !== "") ?? titlesIn(given["tasks"])
  return shorten([action, subject].filter((text) => text !== "").join(": "), MAX_TITLE)
}

function titlesIn(tasks: unknown): string {
  return Array.isArray(tasks) ? tasks.map((task) => stringOf(fieldsOf(task)["title"])).join(", ") : ""
}

// The likeliest subject first: fields of the arguments, or of the reply.
const SUBJECTS =
  "command title content intent query question key snapshot stamp session path file agent id reason".split(
    " ",
  )
const MAX_TITLE = 100
