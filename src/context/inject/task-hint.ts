import type { Task } from "../../schemas/task.ts"
import { shortId } from "../../shared/ids.ts"
import { shorten } from "../../shared/text/clean.ts"
import { element } from "../../shared/text/element.ts"
import { callText } from "../../shared/tool-names.ts"

/** Said where the user's message names a task without a clear order to switch to it. The model decides. */
export function taskHint({ id, title }: Pick<Task, "id" | "title">): string {
  const call = `${callText("task", "start")} ${shortId(id)}`
  return element(
    "hint",
    {},
    `The user may mean the task "${shorten(title, MAX_TITLE_CHARS)}". If so: ${call}`,
  )
}

const MAX_TITLE_CHARS = 80
