export type { MemListOptions, Recalled } from "./api/knowledge-calls.ts"
export {
  type ChangesOptions,
  type CostOptions,
  type OpenOptions,
  openHive,
  type PackOptions,
  type SyncOptions,
} from "./api/open-hive.ts"
export type { CompleteOptions, NewPlan, NewTask } from "./api/plan-calls.ts"
export type { Config } from "./schemas/config.ts"
export type { Conflict } from "./schemas/conflict.ts"
export type { Entry } from "./schemas/entry.ts"
export type { Anchor, Artifact, Mem } from "./schemas/knowledge.ts"
export type { Phase, Plan } from "./schemas/plan.ts"
export type { Session } from "./schemas/session.ts"
export type { Checkpoint, Delegation, Task } from "./schemas/task.ts"
export { HiveError } from "./shared/error.ts"
