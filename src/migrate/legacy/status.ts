import type { NewRecordOf } from "../../schemas/records.ts"
import type { Level } from "./context.ts"

interface Statuses {
  task: NewRecordOf<"task">["status"]
  plan: NewRecordOf<"plan">["status"]
  phase: NewRecordOf<"phase">["status"]
  isBlocked?: boolean
}

/** The status words of older tools, and the statuses that they become. */
const STATUSES: readonly (Statuses & { words: string })[] = [
  {
    words: "planned pending todo new draft not_started ready backlog",
    ...{ task: "planned", plan: "draft", phase: "planned" },
  },
  { words: "active in_progress running open started", task: "active", plan: "active", phase: "active" },
  { words: "review", task: "review", plan: "active", phase: "active" },
  {
    words: "complete completed done validated closed",
    ...{ task: "completed", plan: "completed", phase: "completed" },
  },
  {
    words: "blocked stalled deferred paused",
    ...{ task: "planned", plan: "active", phase: "active", isBlocked: true },
  },
  { words: "failed error", task: "failed", plan: "abandoned", phase: "completed" },
  {
    words: "cancelled canceled invalidated abandoned superseded",
    ...{ task: "invalidated", plan: "abandoned", phase: "completed" },
  },
  { words: "archived", task: "completed", plan: "archived", phase: "completed" },
]

/** A blocked task is held back: it needs something that blocks it, and old files do not name it. */
export function taskStatus(word: unknown): Pick<NewRecordOf<"task">, "status" | "held_back"> {
  const { task: status, isBlocked } = statusesOf(word) ?? PLANNED
  return { status, held_back: isBlocked ? "It was blocked before it was migrated." : null }
}

export function planStatus(word: unknown): NewRecordOf<"plan">["status"] {
  return (statusesOf(word) ?? PLANNED).plan
}

export function phaseStatus(word: unknown): NewRecordOf<"phase">["status"] {
  return (statusesOf(word) ?? PLANNED).phase
}

/** For the report: a status that is not known, or that the record cannot have. */
export function statusNote(level: Level, word: unknown): string | undefined {
  const statuses = statusesOf(word)
  const key = keyOf(word)
  if (key !== "" && statuses === undefined)
    return `the status "${key.slice(0, 40)}" is not known and counts as planned`
  if (level === "plan" && statuses?.isBlocked)
    return "a blocked plan counts as active: its tasks show which work is blocked"
  return undefined
}

function statusesOf(word: unknown): Statuses | undefined {
  const key = keyOf(word)
  return STATUSES.find(({ words }) => words.split(" ").includes(key))
}

function keyOf(word: unknown): string {
  return typeof word === "string"
    ? word
        .trim()
        .toLowerCase()
        .replaceAll(/[\s-]+/g, "_")
    : ""
}

const PLANNED: Statuses = { task: "planned", plan: "draft", phase: "planned" }
