import * as z from "zod"
import { branch, hostSession, id, ids, line, made, path, text, time } from "./fields.ts"

const temporalGate = z.strictObject({ after_task_id: id, reason: text })

export const task = z.strictObject({
  id,
  /** The plan of the task's phase. Stored here too, so that a task whose phase is lost keeps its plan. */
  parent_plan_id: id,
  parent_phase_id: id,
  parent_task_id: id.nullable(),
  type: z.enum(["main", "sub"]),
  title: line,
  /** `report`: a researcher writes a report for the next compaction. `unplanned`: collects work done without a task. */
  purpose: z.enum(["work", "research", "report", "unplanned"]),
  expected_output: text,
  status: z.enum(["planned", "blocked", "active", "review", "completed", "failed", "invalidated"]),
  depends_on: ids,
  temporal_gate: temporalGate.nullable(),
  delegated_by: line.nullable(),
  assigned_to: line.nullable(),
  assigned_session_id: hostSession.nullable(),
  /** The tools that may be used while working on the task; null: the task sets no limit. */
  allowed_tools: z.array(line).nullable(),
  file_locks: z.array(path),
  verify: text.nullable(),
  decisions: ids,
  /** True if the task is planned for later: it is listed, but not yet offered as the next task. */
  ahead: z.boolean(),
  file: path.nullable(),
  line: z.int().min(1).nullable(),
  evidence: text.nullable(),
  reason: text.nullable(),
  /** The reason why a person has blocked the task, or null. */
  held_back: text.nullable().default(null),
  /** Sort key of a task that a person has moved: ms, compared with other tasks' `created_at`. Null if never moved. */
  rank: z.number().nullable().default(null),
  started_at: time.nullable(),
  completed_at: time.nullable(),
  branch,
  ...made,
})
export type Task = z.infer<typeof task>

/** A run of a task's `verify` command: its exit code and the end of its output. */
const run = z.strictObject({
  /** Fingerprint of the work tree it ran on; null if unknown, or if another writer changed files during the run. */
  tree: line.nullable(),
  exit: z.int(),
  output: z.string().max(10_000),
  /** Existing files that were rewritten during the run. */
  changed: z.array(path).default([]),
})

export const checkpoint = z.strictObject({
  id,
  task_id: id,
  session_id: hostSession.nullable(),
  tool: line,
  summary: line,
  files: z.array(path),
  /** The files in `files` that no longer existed after the call. */
  removed: z.array(path),
  command: text.nullable(),
  /** Which checks the command ran, if their result is known (see `ok`). `verify` is the task's own check. */
  did: z.array(z.enum(["verify", "test", "build", "commit"])),
  /** Only set for a run of the task's own check. */
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
