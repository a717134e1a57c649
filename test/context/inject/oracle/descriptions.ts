import type { Plan } from "../../../../src/schemas/plan.ts"
import type { Task } from "../../../../src/schemas/task.ts"
import type { Told } from "./beliefs.ts"
import { differs } from "./differs.ts"

/** What was said of a task besides its status and what it waits for, against what it is: its title, whose it is, and so on. */
export function taskDescription({ describedAs, attributes, text }: Told, task: Task): string[] {
  const { title, reason, expected_output: expected } = task
  if (describedAs === "failed") return differs("text", text, reason === null ? title : `${title} — ${reason}`)
  const isAtHand = describedAs === "task"
  const words = isAtHand && expected !== title ? `${title} — expected: ${expected}` : title
  const file = task.line === null ? (task.file ?? "") : `${task.file}:${task.line}`
  return [
    ...differs("text", text, words),
    ...differs("to", attributes.to ?? "", task.assigned_to ?? ""),
    ...differs("file", attributes.file ?? "", file),
    ...differs("ahead", attributes.ahead ?? "", task.ahead ? "yes" : ""),
    ...(isAtHand ? differs("verify", attributes.verify ?? "", task.verify ?? "") : []),
    ...(isAtHand ? differs("locks", attributes.locks ?? "", task.file_locks.join(" ")) : []),
  ]
}

export function planDescription({ text }: Told, { title, acceptance }: Plan): string[] {
  const words = acceptance.length === 0 ? title : `${title} — done when: ${acceptance.join("; ")}`
  return differs("text", text, words)
}
