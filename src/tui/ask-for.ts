import type { Hive } from "../hive/hive.ts"
import { drain, enqueue, outcomeOf } from "../queue/queue.ts"
import type { QueuedCommand } from "../schemas/queued-command.ts"

/** Asks for a change through the queue and applies it if no other process does; says what became of it. */
export async function askFor(hive: Hive, command: QueuedCommand): Promise<{ done: boolean; text: string }> {
  const id = await enqueue(hive, "panel", command)
  await drain(hive)
  const outcome = outcomeOf(hive, id)
  if (outcome === undefined || outcome === "waiting")
    return { done: true, text: "Asked for; it is applied soon." }
  return outcome.ok
    ? { done: true, text: outcome.note ?? "Done." }
    : { done: false, text: `${outcome.what} ${outcome.why}` }
}
