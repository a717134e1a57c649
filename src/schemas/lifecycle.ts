import type { Kind } from "./records.ts"

type Steps = Readonly<Record<string, readonly string[]>>

/** The allowed status changes of each kind. Kinds that are not listed have no status. */
export const lifecycles: Partial<Record<Kind, Steps>> = {
  session: { active: ["closed"], closed: ["active"] },
  plan: {
    draft: ["active", "abandoned"],
    active: ["completed", "archived", "abandoned"],
    completed: ["archived", "active"],
    archived: [],
    abandoned: ["archived"],
  },
  phase: { planned: ["active", "completed"], active: ["completed", "planned"], completed: ["active"] },
  task: {
    planned: ["blocked", "active", "invalidated", "failed"],
    blocked: ["planned", "active", "invalidated", "failed"],
    active: ["review", "completed", "failed", "blocked", "planned", "invalidated"],
    review: ["active", "completed", "failed", "invalidated"],
    completed: ["invalidated"],
    failed: ["planned", "active", "invalidated"],
    invalidated: [],
  },
  mem: {
    active: ["superseded", "invalidated", "purged"],
    superseded: ["active", "purged"],
    invalidated: ["active", "purged"],
    purged: [],
  },
  anchor: { active: ["stale", "removed"], stale: ["active", "removed"], removed: ["active"] },
  artifact: {
    current: ["changed", "superseded", "abandoned"],
    changed: ["current", "superseded", "abandoned"],
    superseded: ["current", "abandoned"],
    abandoned: ["current"],
  },
  delegation: {
    assigned: ["running", "recalled", "failed", "returned"],
    running: ["returned", "recalled", "failed"],
    returned: [],
    recalled: [],
    failed: [],
  },
}

/** The statuses that a new record may have. */
export const firstStatuses: Partial<Record<Kind, readonly string[]>> = {
  session: ["active"],
  plan: ["draft", "active"],
  phase: ["planned", "active"],
  task: ["planned", "blocked", "active"],
  mem: ["active"],
  anchor: ["active"],
  artifact: ["current"],
  delegation: ["assigned", "running"],
}
