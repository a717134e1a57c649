import type { Mem } from "../../src/schemas/knowledge.ts"
import type { Phase, Plan } from "../../src/schemas/plan.ts"
import type { Checkpoint, Task } from "../../src/schemas/task.ts"

export const made: { created_at: string; updated_at: string; stamp: string }
export const plan: Omit<Plan, "id" | "title">
export const phase: Omit<Phase, "id" | "title" | "parent_plan_id" | "order">
export const task: Omit<Task, "id" | "title" | "parent_plan_id" | "parent_phase_id">
export const mem: Omit<Mem, "id" | "content">
export const checkpoint: Omit<Checkpoint, "id" | "task_id">
