import type { IncomingMessage } from "node:http"
import * as z from "zod"
import type { Hive } from "../hive/hive.ts"
import { drain, enqueue, outcomeOf } from "../queue/queue.ts"
import { checked } from "../schemas/checked.ts"
import { queuedCommand } from "../schemas/queued-command.ts"
import { HiveError, toRefusal } from "../shared/error.ts"
import type { CommandView } from "./answers/model.ts"

export async function takeCommand(hive: Hive, request: IncomingMessage): Promise<CommandView> {
  const { command } = checked("the change", z.strictObject({ command: queuedCommand }), await bodyOf(request))
  const id = await enqueue(hive, "dashboard", command)
  const trouble = await drain(hive).then(
    () => null,
    (error: unknown) => toRefusal(error),
  )
  const answer = commandAnswer(hive, id)
  // The command stays in the queue and is retried later; the answer says why it waits.
  if (trouble === null || answer.state !== "waiting") return answer
  const { what, why, use_instead } = trouble
  return { ...answer, what, why, use_instead }
}

export function commandAnswer(hive: Hive, id: string): CommandView {
  const outcome = outcomeOf(hive, id)
  const nothing = { what: null, why: null, use_instead: null }
  if (outcome === undefined)
    throw new HiveError({
      code: "not_found",
      what: "The outcome of this change is unknown.",
      why: "HiveMind keeps the outcomes of the newest changes only.",
      use_instead: "Check whether the change was applied before you repeat it.",
      evidence: `no command ${id}`,
    })
  if (outcome === "waiting") return { id, state: "waiting", ...nothing }
  if (outcome.ok) return { id, state: "done", ...nothing, what: outcome.note ?? null }
  const { what, why, use_instead } = outcome
  return { id, state: "refused", what, why, use_instead }
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of request) {
    size += part.length
    if (size > MAX_BODY_BYTES) throw wrongBody("It is longer than 256 kB.")
    parts.push(part)
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString("utf8"))
  } catch {
    throw wrongBody("It is not JSON.")
  }
}

function wrongBody(why: string): HiveError {
  return new HiveError({
    code: "invalid_argument",
    what: "The change could not be read.",
    why,
    use_instead: "Send `{command: {do: …}}` as JSON.",
    evidence: "POST /api/commands",
  })
}

const MAX_BODY_BYTES = 256 * 1024
