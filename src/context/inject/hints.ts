import type { Mem } from "../../schemas/knowledge.ts"
import type { Task } from "../../schemas/task.ts"
import { shortId } from "../../shared/ids.ts"
import { shorten } from "../../shared/text/clean.ts"
import { element } from "../../shared/text/element.ts"
import { callText } from "../../shared/tool-names.ts"

/** For a message that names a task without a clear order to switch to it. The model decides. */
export function taskHint({ id, title }: Pick<Task, "id" | "title">): string {
  const call = `${callText("task", "start")} ${shortId(id)}`
  return element("hint", {}, `The user may mean the task "${shorten(title, 80)}". If so: ${call}`)
}

/** Says which rules were noted from the message, or asks whether it holds one that lasts. The model judges the latter. */
export function ruleHint(kept: readonly Pick<Mem, "id">[], mayHoldRule: boolean): string {
  const ids = kept.map(({ id }) => shortId(id)).join(" ")
  if (ids !== "") return element("hint", {}, `Noted as rules from this message: ${ids}`)
  if (!mayHoldRule) return ""
  return element("hint", {}, `If this is meant for the future too: ${callText("memory", "save")} kind rule`)
}
