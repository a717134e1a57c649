import type { NewRecordOf } from "../../schemas/records.ts"

/** What older tools call the state of a plan, phase or task, in our words. Unknown words count as planned. */

export function taskStatus(word: unknown): Pick<NewRecordOf<"task">, "status" | "held_back"> {
  const state = stateOf(word)
  // A task of ours is blocked by something that is known; what held this one up, only people know.
  if (state === "blocked") return { status: "planned", held_back: "It was blocked before it was taken over." }
  return { status: TASK[state], held_back: null }
}

export function planStatus(word: unknown): NewRecordOf<"plan">["status"] {
  return PLAN[stateOf(word)]
}

export function phaseStatus(word: unknown): NewRecordOf<"phase">["status"] {
  const state = stateOf(word)
  if (state === "active" || state === "review" || state === "blocked") return "active"
  return state === "planned" ? "planned" : "completed"
}

/** What a person should know of how a status was understood. */
export function statusNote(kind: "plan" | "phase" | "task", word: unknown): string | undefined {
  const key = keyOf(word)
  if (key !== "" && STATES[key] === undefined && !PLANNED.has(key))
    return `a status that is not known ("${key.slice(0, 40)}") counts as planned`
  if (kind === "plan" && STATES[key] === "blocked")
    return "a blocked plan counts as active: its tasks say what is blocked"
  return undefined
}

/** Nobody works on it any more. */
export function isOver(word: unknown): boolean {
  return OVER.has(stateOf(word))
}

type State = "planned" | "active" | "review" | "done" | "blocked" | "failed" | "dropped" | "archived"

function stateOf(word: unknown): State {
  return STATES[keyOf(word)] ?? "planned"
}

function keyOf(word: unknown): string {
  if (typeof word !== "string") return ""
  return word
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, "_")
}

const PLANNED: ReadonlySet<string> = new Set([
  "planned",
  "pending",
  "todo",
  "new",
  "draft",
  "not_started",
  "ready",
  "backlog",
])
const STATES: Readonly<Record<string, State>> = {
  active: "active",
  in_progress: "active",
  running: "active",
  open: "active",
  started: "active",
  review: "review",
  complete: "done",
  completed: "done",
  done: "done",
  validated: "done",
  closed: "done",
  blocked: "blocked",
  stalled: "blocked",
  deferred: "blocked",
  paused: "blocked",
  failed: "failed",
  error: "failed",
  cancelled: "dropped",
  canceled: "dropped",
  invalidated: "dropped",
  abandoned: "dropped",
  superseded: "dropped",
  archived: "archived",
}

const OVER: ReadonlySet<State> = new Set(["done", "failed", "dropped", "archived"])

const TASK: Readonly<Record<Exclude<State, "blocked">, NewRecordOf<"task">["status"]>> = {
  planned: "planned",
  active: "active",
  review: "review",
  done: "completed",
  failed: "failed",
  dropped: "invalidated",
  archived: "completed",
}

const PLAN: Readonly<Record<State, NewRecordOf<"plan">["status"]>> = {
  planned: "draft",
  active: "active",
  review: "active",
  done: "completed",
  blocked: "active",
  failed: "abandoned",
  dropped: "abandoned",
  archived: "archived",
}
