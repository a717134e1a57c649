import { recordNames } from "../../graph/record-names.ts"
import type { Hive } from "../../hive/hive.ts"
import { listQueue, type QueueRow } from "../../views/look/queue.ts"
import type { HealthView } from "./model.ts"

/** Changes of people that wait or were refused, in words. What was applied is part of the story. */
export function askedFor(hive: Hive): HealthView["asked"] {
  const names = recordNames(hive.store.read().state)
  const rows = (state: QueueRow["state"]) => listQueue(hive, { state }, { limit: MAX_SHOWN, page: 1 }).items
  return [...rows("waiting"), ...rows("refused")].map(({ id, at, from, command, state, refusal }) => ({
    id,
    at,
    from,
    text: wordsOf(command, (each) => names.nameOfAny(each)),
    isWaiting: state === "waiting",
    refusal,
  }))
}

/** `Block a task: task "Build login"`. Somebody else may have written the line, so nothing about it is sure. */
function wordsOf(command: unknown, nameOf: (id: string) => string | undefined): string {
  if (typeof command !== "object" || command === null) return "Something that is no command"
  const fields: Readonly<Record<string, unknown>> = { ...command }
  const what = String(fields["do"] ?? "").replaceAll("_", " ")
  const about = ABOUT.map((field) => fields[field]).find((value) => typeof value === "string")
  const named = about === undefined ? undefined : (nameOf(about) ?? about)
  const words = named === undefined ? what : `${what}: ${named}`
  return (words.charAt(0).toUpperCase() + words.slice(1)).slice(0, MAX_TEXT)
}

const ABOUT = [
  "task",
  "mem",
  "decision",
  "conflict",
  "supersedes",
  "entry",
  "file",
  "snapshot",
  "session",
  "content",
]
const MAX_SHOWN = 20
const MAX_TEXT = 300
