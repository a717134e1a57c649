// Records with every field, for tests in TypeScript and for the plain programs that tests and the bench start.
// What tells records of a kind apart, their ids above all, is added by the caller.

/** 2026-02-11, 14:30. */
const at = new Date(Date.UTC(2026, 1, 11, 14, 30)).toISOString()
export const made = { created_at: at, updated_at: at, stamp: "301411022026" }

export const plan = {
  purpose: "work",
  acceptance: [],
  sot_document_path: null,
  depends_on: [],
  owned_by: null,
  status: "active",
  reason: null,
  completed_at: null,
  summary: null,
  branch: null,
  ...made,
}

export const phase = { inbox: false, status: "active", summary: null, ...made }

export const task = {
  parent_task_id: null,
  type: "main",
  purpose: "work",
  expected_output: "it works",
  status: "planned",
  depends_on: [],
  temporal_gate: null,
  held_back: null,
  rank: null,
  delegated_by: null,
  assigned_to: null,
  assigned_session_id: null,
  allowed_tools: null,
  file_locks: [],
  verify: null,
  decisions: [],
  ahead: false,
  file: null,
  line: null,
  evidence: null,
  reason: null,
  started_at: null,
  completed_at: null,
  branch: null,
  ...made,
}

export const mem = {
  origin_task_id: null,
  session_id: null,
  shelf: "context",
  origin: "saved",
  kind: "insight",
  status: "active",
  tags: [],
  evidence: [],
  confidence: 1,
  resolved: null,
  supersedes: null,
  scope: null,
  parent_mem_id: null,
  related_to: [],
  reason: null,
  stale_at: null,
  branch: null,
  ...made,
}

export const checkpoint = {
  session_id: null,
  tool: "write",
  summary: "wrote a file",
  files: ["src/a.ts"],
  command: null,
  removed: [],
  did: [],
  run: null,
  ok: true,
  branch: null,
  ...made,
}
