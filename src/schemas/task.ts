import * as z from "zod"
import { branch, hostSession, id, ids, line, made, path, text, time } from "./fields.ts"

const temporalGate = z.strictObject({ after_task_id: id, reason: text })

export const task = z.strictObject({
  id,
  /** Always the plan of `parent_phase_id`; kept here so that a task whose phase is lost still finds home. */
  parent_plan_id: id,
  parent_phase_id: id,
  parent_task_id: id.nullable(),
  type: z.enum(["main", "sub"]),
  title: line,
  /**
   * `research`: a question to an investigator. `report`: the points that the next compaction is asked to keep. `unplanned`:
   * collects work of a session without a task.
   */
  purpose: z.enum(["work", "research", "report", "unplanned"]),
  expected_output: text,
  status: z.enum(["planned", "blocked", "active", "review", "completed", "failed", "invalidated"]),
  depends_on: ids,
  temporal_gate: temporalGate.nullable(),
  delegated_by: line.nullable(),
  assigned_to: line.nullable(),
  assigned_session_id: hostSession.nullable(),
  /** null: no limit of its own. */
  allowed_tools: z.array(line).nullable(),
  file_locks: z.array(path),
  verify: text.nullable(),
  decisions: ids,
  /** Planned ahead: shown as coming, not yet offered. */
  ahead: z.boolean(),
  file: path.nullable(),
  line: z.int().min(1).nullable(),
  evidence: text.nullable(),
  reason: text.nullable(),
  /** Why a person holds it back; null where none does. */
  held_back: text.nullable().default(null),
  /** Its place among other tasks, in ms like the time it was made, where a person has moved it. */
  rank: z.number().nullable().default(null),
  started_at: time.nullable(),
  completed_at: time.nullable(),
  branch,
  ...made,
})
export type Task = z.infer<typeof task>

/** A run of a task's check: how it ended, and the end of its output. */
const run = z.strictObject({
  /** The state of the tree that it ran on; null where that is not known, or something else changed files meanwhile. */
  tree: line.nullable(),
  exit: z.int(),
  output: z.string().max(10_000),
  /** Existing files that were rewritten meanwhile. */
  changed: z.array(path).default([]),
})

/** The result of a tool call for a task: written by the steps in `turns`, never by hand. */
export const checkpoint = z.strictObject({
  id,
  task_id: id,
  session_id: hostSession.nullable(),
  tool: line,
  summary: line,
  files: z.array(path),
  /** Those of `files` that were gone when the call was over. */
  removed: z.array(path),
  command: text.nullable(),
  /** The checks of a command whose result is known; `ok` says whether they passed. `verify`: the task's own check. */
  did: z.array(z.enum(["verify", "test", "build", "commit"])),
  /** Of the task's own check alone. */
  run: run.nullable().default(null),
  ok: z.boolean(),
  branch,
  ...made,
})
export type Checkpoint = z.infer<typeof checkpoint>

export const delegation = z.strictObject({
  id,
  task_id: id,
  from_agent: line,
  to_agent: line,
  session_id: hostSession.nullable(),
  child_session_id: hostSession.nullable(),
  allowed_tools: z.array(line).nullable(),
  depth: z.int().min(1),
  status: z.enum(["assigned", "running", "returned", "recalled", "failed"]),
  result: text.nullable(),
  reason: text.nullable(),
  ...made,
})
export type Delegation = z.infer<typeof delegation>
