import type * as model from "../../src/dashboard/answers/model.ts"
import { aCheckpoint, aMem, anAnchor, aPlan, aTask } from "../support/records.ts"

// A project half-way through a piece of work, as the server would tell it: for the page's tests and its pictures.

const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()
const idOf = (letter: string, number: number) =>
  `${letter.repeat(7)}${number.toString(16)}-0000-4000-8000-${String(number).padStart(12, "0")}`

const PLAN = idOf("a", 1)
const STAMP = "300415112026"
const HOST = "ses_login"
const INTENT = "Make sign-in work with a cookie that survives a restart of the API"
const WINDOW = { tokens: 96_400, window: 200_000, share: 0.482 }

const TITLES: [title: string, status: model.TaskRow["status"], phase: string, waits: string | null][] = [
  ["Find out which session store the API can rely on", "completed", "Understand", null],
  ["Write down what a sign-in has to survive", "completed", "Understand", null],
  ["Hash passwords with argon2id", "completed", "Sign-in", null],
  ["Issue a session cookie after sign-in", "active", "Sign-in", null],
  ["Refuse a cookie that was replayed", "planned", "Sign-in", null],
  [
    "Lock an account after ten wrong passwords",
    "blocked",
    "Sign-in",
    "task “Issue a session cookie after sign-in” is not done",
  ],
  ["Send a reset link by mail", "blocked", "Recovery", "decision “How long does a reset link live?” is open"],
  ["Let a reset link work once only", "planned", "Recovery", null],
  ["Keep sessions in the main database", "failed", "Sign-in", null],
  ["Tell other sessions to end after a reset", "planned", "Recovery", null],
  ["Describe sign-in for the team", "planned", "Write down", null],
  ["Measure a sign-in under load", "review", "Write down", null],
]

export const tasks: model.TaskRow[] = TITLES.map(([title, status, phase, waits], at) => ({
  id: idOf("b", at + 1),
  short: idOf("b", at + 1).slice(0, 8),
  title,
  status,
  plan: { id: PLAN, title: "Sign-in that people can rely on" },
  phase,
  held_by: status === "active" ? STAMP : null,
  assigned_to: status === "active" ? "builder" : null,
  waits,
  checkpoints: status === "completed" ? 9 : status === "active" ? 6 : 0,
  updated_at: ago(12 + at * 37),
}))

export const plan: model.PlanRow = {
  ...{ id: PLAN, short: PLAN.slice(0, 8), title: "Sign-in that people can rely on" },
  ...{ status: "active", isOpen: true, sessions: [STAMP], branch: "feature/sign-in" },
  tasks: { all: 12, done: 3, given_up: 1, under_way: 2 },
  ...{ created_at: ago(2_900), updated_at: ago(4) },
}

const otherPlan: model.PlanRow = {
  ...plan,
  id: idOf("a", 2),
  title: "Invoices as PDF",
  tasks: { all: 7, done: 5, given_up: 0, under_way: 0 },
  sessions: [],
}

const session: model.SessionRow = {
  ...{ id: idOf("c", 1), short: "ccccccc1", stamp: STAMP, host_id: HOST, host: "opencode" },
  ...{ agent: "builder", intent: INTENT, name: INTENT, state: "open", parent: null, window: WINDOW },
  plan: { id: PLAN, title: plan.title },
  tasks: tasks.slice(3, 4),
  ...{ created_at: ago(190), updated_at: ago(3) },
}

export const now: model.NowView = {
  project: { name: "corner-shop", dir: "/home/ada/corner-shop", branch: "feature/sign-in" },
  threads: [
    { session: { id: HOST, name: INTENT }, intent: INTENT, plan, phase: "Sign-in", tasks: tasks.slice(3, 4) },
    {
      ...{ session: null, intent: null, plan: otherPlan, phase: null },
      tasks: tasks.slice(11).map((task) => ({ ...task, title: "Number invoices per year", phase: null })),
    },
  ],
  decisions: [
    {
      ...{ id: idOf("9", 6), at: ago(4_400) },
      content: "How long does a reset link live? Support asks for a day, security for an hour.",
      keeps: [{ id: idOf("b", 7), title: "Send a reset link by mail" }],
    },
  ],
  plan,
  next: [4, 7, 9].flatMap((at) => tasks[at] ?? []),
  blocked: tasks.filter(({ status }) => status === "blocked"),
  otherPlans: [otherPlan],
  openPlans: [],
  unplanned: [
    {
      ...{ host_id: "ses_quick", stamp: "301618112026", name: "Make the search faster", state: "left" },
      files: ["src/search/perf.js"],
      checks: [{ command: "npm test", ok: true }],
      ...{ last_answer: "The search takes half the time now.", at: ago(90) },
    },
  ],
  sessions: [
    { ...session, hasShifted: true },
    {
      ...{ ...session, id: idOf("c", 2), host_id: "mcp-2", host: "mcp", state: "left" },
      ...{ tasks: [], window: null, hasShifted: false, updated_at: ago(1_300) },
      ...{ intent: "Look at how invoices are numbered", name: "Look at how invoices are numbered" },
    },
  ],
  delegations: [
    {
      ...{ id: idOf("d", 1), task: "Measure a sign-in under load", agent: "investigator" },
      ...{ status: "running", since: ago(9) },
    },
  ],
  warnings: [
    {
      ...{ session: HOST, name: INTENT, signal: "failed_checks", severity: "medium" },
      text: "Three commands failed after an edit and none has passed. Read the first error again before the next edit, or take the last edit back.",
    },
  ],
  window: { ...WINDOW, session: HOST, name: INTENT },
  spent: { answers: 214, fresh: 486_000, cached: 3_920_000, output: 118_000, cost: 6.42 },
  ...{ conflicts: 1, problems: 1, waiting: 0 },
  anchors: [
    anchor(1, "database", "PostgreSQL 16; migrations in db/migrations, never edited after they ran"),
    anchor(2, "deploy", "Only from main, by the release workflow"),
  ],
}

function anchor(number: number, key: string, value: string): model.NowView["anchors"][number] {
  const row = anAnchor(0, { id: idOf("e", number), key, value, priority: "high" })
  return { ...row, short: row.id.slice(0, 8), isStale: false, why: "" }
}

const DEPENDENTS = { 1: [4], 2: [3], 3: [4, 7], 4: [5, 6], 5: [12], 6: [12], 7: [8], 8: [10] }

const refusal: model.RefusalRow = {
  ...{ id: idOf("f", 1), short: "fffffff1", at: ago(26), session: HOST, agent: "builder", tool: "bash" },
  ...{ code: "destructive", what: "The command would discard uncommitted changes." },
  why: "git reset --hard would lose 3 changed files, one of them written by task “Hash passwords with argon2id”.",
  use_instead: "Commit or stash them first; git stash keeps all three.",
  ...{ evidence: "src/auth/hash.ts", files: [], command: "git reset --hard HEAD~1", times: 2 },
  ...{ task: idOf("b", 4), lift: "Run the command yourself in a terminal." },
}

const mem = aMem(0, {
  ...{ id: idOf("9", 1), origin_task_id: idOf("b", 1), session_id: HOST, shelf: "auth", kind: "decision" },
  ...{ tags: ["sessions", "redis"], resolved: true, branch: "feature/sign-in", created_at: ago(1_500) },
  content:
    "Sessions live in Redis, not in the main database: a sign-in writes on every request, and the database's write lock made pages wait 300 ms at noon.",
  evidence: ["src/auth/session-store.ts:14@3f9a1c22d0", "measured with npm run bench:sign-in"],
})

export const planView: model.PlanView = {
  plan: {
    ...plan,
    record: aPlan(0, {
      acceptance: ["A restart of the API signs nobody out", "A stolen cookie is of no use after a reset"],
    }),
    files: ["src/auth/session-store.ts", "src/auth/hash.ts", "test/auth/sign-in.test.ts"],
    ...{ mems: [mem], refusals: [refusal], spent: now.spent },
  },
  tasks,
  edges: Object.entries(DEPENDENTS).flatMap(([from, dependents]) =>
    dependents.map((to) => ({
      from: idOf("b", Number(from)),
      to: idOf("b", to),
      why: "depends_on" as const,
    })),
  ),
}

export const otherPlanView: model.PlanView = {
  plan: { ...planView.plan, ...otherPlan },
  tasks: tasks.slice(0, 1).map((task) => ({
    ...task,
    title: "Number invoices without gaps, also where two clerks write one in the same second",
    plan: { id: otherPlan.id, title: otherPlan.title },
  })),
  edges: [],
}

export function taskView(row: model.TaskRow): model.TaskView {
  return {
    ...row,
    record: aTask(0, 0, 0, {
      expected_output:
        "A cookie that is signed, HttpOnly and renewed once a day; the test of a restart passes.",
      ...{ assigned_session_id: HOST, verify: "npm test -- sign-in" },
    }),
    did: [
      checkpoint(1, "Wrote src/auth/session-store.ts"),
      checkpoint(2, "The test of a restart failed: the cookie names no version", "npm test -- sign-in"),
      checkpoint(3, "Put a version into the cookie"),
    ],
    files: ["src/auth/session-store.ts", "test/auth/sign-in.test.ts"],
    ...{ parts: [], mems: [mem], delegations: [], refusals: [refusal], obstacles: obstaclesOf(row.waits) },
    spent: { answers: 38, fresh: 71_000, cached: 640_000, output: 19_400, cost: 1.07 },
  }
}

function obstaclesOf(waits: string | null): model.TaskView["obstacles"] {
  if (waits === null) return []
  const isDecision = waits.startsWith("decision")
  const on = isDecision
    ? { kind: "mem" as const, id: idOf("9", 6), title: "How long does a reset link live?" }
    : { kind: "task" as const, id: idOf("b", 4), title: "Issue a session cookie after sign-in" }
  const why = isDecision ? `A decision is open: ${on.title}` : `It depends on “${on.title}”, which is active.`
  return [{ why, on, isDecision }]
}

function checkpoint(number: number, summary: string, command: string | null = null) {
  const run = { tree: null, exit: 1, output: "expected 200, got 401", changed: [] }
  return aCheckpoint(0, 0, {
    ...{ id: idOf("8", number), session_id: HOST, tool: "edit", summary, created_at: ago(40 - number * 8) },
    ...(command !== null && { tool: "bash", command, ok: false, files: [], did: ["test"], run }),
  })
}

const MEMS: [
  kind: model.MemoryItem["kind"],
  content: string,
  tag: string,
  status?: model.MemoryItem["status"],
][] = [
  ["decision", mem.content, "sessions"],
  [
    "false_path",
    "Keeping sessions in the main database: it locks the table on every request. Tried twice, taken back twice.",
    "sessions",
  ],
  ["fact", "The mail service drops a message without a plain-text part and reports success.", "mail"],
  [
    "insight",
    "The restart test is only honest with two API processes: with one, the old cookie is still in memory.",
    "tests",
  ],
  ["pattern", "Every handler takes the clock as an argument, so that a test can move it.", "style"],
  ["decision", "How long does a reset link live? Support asks for a day, security for an hour.", "recovery"],
  ["fact", "argon2id with 64 MB takes 90 ms on the smallest machine that we deploy to.", "speed"],
  [
    "insight",
    "Sessions could live in the main database if the pool is large enough.",
    "sessions",
    "superseded",
  ],
]

export const mems: model.MemoryItem[] = MEMS.map(([kind, content, tag, status = "active"], at) => ({
  ...{ id: idOf("9", at + 1), short: `9999999${at + 1}`, kind, content, tags: [tag], status },
  ...{ shelf: "context", isArchived: false, why: null, at: ago(90 + at * 700) },
  isOpen: kind === "decision" && content.includes("?"),
}))

export function memView(item: model.MemoryItem): model.MemView {
  const isDecision = item.kind === "decision"
  const link = (number: number, field: string, direction: "to" | "from"): model.MemView["links"][number] => ({
    ...{ id: idOf("9", number), kind: "mem", title: mems[number - 1]?.content ?? "", field, direction },
  })
  return {
    mem: {
      ...mem,
      ...{ id: item.id, content: item.content, tags: item.tags, status: item.status ?? "active" },
      kind: item.kind === "failed task" ? "false_path" : item.kind,
      resolved: isDecision ? !item.content.includes("?") : null,
    },
    evidence: mem.evidence.map((evidence, at) => ({ evidence, state: at === 0 ? "verified" : null })),
    ...{ archived: false, isUnverified: false, confidence: 0.86, recalled: { count: 7, at: ago(33) } },
    links: [
      ...[link(8, "supersedes", "to"), link(2, "related_to", "to"), link(4, "mem.supersedes", "from")],
      { ...link(1, "origin_task_id", "to"), kind: "task", title: TITLES[0]?.[0] ?? "" },
    ],
  }
}

const STEPS: [minutes: number, kind: model.TimelineItem["kind"], text: string, agent?: string | null][] = [
  [4, "checkpoint", "Put a version into the cookie"],
  [26, "refusal", refusal.what, null],
  [31, "mem", "Learned: The restart test is only honest with two API processes"],
  [58, "context", "The conversation was replaced by a summary", null],
  [95, "done", "Finished “Hash passwords with argon2id”"],
  [1_480, "task", "A person blocked “Lock an account after ten wrong passwords”: first the cookie", "Ada"],
  [1_500, "decision", "Decided: argon2id with 64 MB, and sessions in Redis"],
  [1_530, "sync", "Came from grace: Made the plan “Invoices as PDF”", null],
  [1_600, "failure", "Gave up “Keep sessions in the main database”: it locks the table on every request"],
]

const step = (at: number, item: Partial<model.TimelineItem>): model.TimelineItem => ({
  ...{ id: idOf("6", at), short: `6666666${at}`, at: ago(4_000), kind: "small", text: "", tool: "bash" },
  ...{ session: HOST, agent: null, changes: [], undoneBy: null, undoes: null, from: null, refusal: null },
  ...item,
})

export const timeline: model.TimelineItem[] = STEPS.map(([minutes, kind, text, agent = "builder"], at) =>
  step(at + 1, {
    ...{ at: ago(minutes), kind, text, agent, tool: "hivemind_task", changes: [`${kind} changed`] },
    ...{ session: agent === "builder" ? HOST : null, from: kind === "sync" ? "grace" : null },
    refusal: kind === "refusal" ? refusal : null,
  }),
)
timeline.push(
  step(0, {
    ...{ id: "S41", short: "S41", kind: "snapshot" },
    text: "Deleted 1 file: notes/reset-link.md (rm -r notes)",
    changes: ["rm -r notes", "deleted 1 file: notes/reset-link.md"],
  }),
)

export const restore: model.RestoreView = {
  id: "S41",
  write: ["notes/reset-link.md"],
  conflicts: [{ path: "README.md", why: "it has changed since" }],
  created: ["notes.tar"],
  refs: [{ name: "refs/heads/topic", commit: "3f9a1c22d03f9a1c22d0" }],
  ...{ stashes: 1, staged: 0, notes: [] },
  total: { write: 1, conflicts: 1, created: 1 },
}

function turn(number: number): model.Turn {
  const isKey = number === 1 || number === 11
  const kind = isKey ? "keyframe" : number % 5 === 0 ? "none" : "delta"
  const tag = isKey ? "hivemind_state" : "hivemind_delta"
  const text = `<${tag} session="${STAMP}">
  <task id="bbbbbbb4" status="active">Issue a session cookie after sign-in</task>
  <avoid id="99999992">Keeping sessions in the main database</avoid>
</${tag}>`
  return {
    ...{ turn: number, message: `msg_${number}`, at: ago(200 - number * 10), kind, budget: 2_000 },
    tokens: isKey ? 1_840 : kind === "none" ? 0 : 120 + ((number * 97) % 260),
    repeated: isKey ? 310 : 0,
    ...(kind === "none" ? { parts: [], items: [] } : { parts: [text], items: ITEMS }),
    gone: isKey ? [] : [{ kind: "task", id: idOf("b", 3), role: "task" }],
    dropped: isKey ? [{ section: "mems", reason: "over the budget", count: 23, examples: [] }] : [],
    reason: REASONS[kind],
    ...{ score: 72, pruned: [], drift: { score: number > 12 && number < 16 ? 0.6 : 0, signals: [] } },
  }
}

const REASONS = {
  keyframe: "The first message after a summary.",
  none: "Nothing has changed since the last message.",
  delta: "Two things have changed since the last message.",
}

const DEFAULTS = { identity: {}, hash: "h" }
const ITEMS: model.Turn["items"] = [
  {
    ...{ ...DEFAULTS, kind: "task", id: idOf("b", 4), role: "task", section: "chain", tokens: 46 },
    reason: "the task at the read-head",
    identity: { title: "Issue a session cookie after sign-in" },
  },
  {
    ...{ ...DEFAULTS, kind: "task", id: idOf("b", 5), role: "next", section: "next", tokens: 24 },
    reason: "can be started when it is done",
  },
  {
    ...{ ...DEFAULTS, kind: "mem", id: idOf("9", 1), role: "decision", section: "decisions", tokens: 61 },
    reason: "decided for this task; recalled 7 times",
  },
  {
    ...{ ...DEFAULTS, kind: "mem", id: idOf("9", 2), role: "avoid", section: "anti_patterns", tokens: 38 },
    reason: "a false path with the words “sessions” and “database”",
  },
]

const conflict = {
  ...{ id: idOf("5", 1), at: ago(1_530), record: "task “Send a reset link by mail”" },
  ...{ stands: "status blocked", lost: "status active, assigned to grace" },
  ...{ happened: "changed by two clones", kept_by: "ada-laptop", lost_by: "grace" },
}

const turns: model.Turn[] = Array.from({ length: 18 }, (_, at) => turn(at + 1))

export const context: model.ContextView = {
  session,
  sessions: [session],
  turns,
  names: {
    ...Object.fromEntries(tasks.map(({ id, title }) => [id, title])),
    ...{ [idOf("9", 1)]: "Sessions live in Redis", [idOf("9", 2)]: "Keeping sessions in the main database" },
  },
  fixed: {
    tokens: 1_412,
    system: { tokens: 268, text: "You work with HiveMind, which keeps plans and memories of this project." },
    tools: { tokens: 1_144, each: [{ name: "hivemind_task", tokens: 402, text: "" }] },
  },
  window: session.window,
  answers: Array.from({ length: 60 }, (_, at) => ({
    at: ago(190 - at * 3),
    fresh: at === 33 ? 41_000 : 2_100 + ((at * 811) % 3_900),
    cached: at < 33 ? at * 4_100 : at === 33 ? 0 : 20_000 + (at - 33) * 2_900,
    share: at < 33 ? 0.08 + at * 0.022 : 0.21 + (at - 33) * 0.0105,
  })),
}

export const drift: model.DriftBegan = {
  ...{ session: HOST, points: [] },
  began: {
    ...{ turn: 12, at: ago(80), until: ago(70), score: 0.6, signals: ["failed_checks"], isOver: true },
    ...{ calls: null, found: [], entries: [], told: [] },
  },
}

export function replay(number: number): model.Replay {
  const [first = turn(1)] = turns
  return {
    ...{ session: HOST, turn: turns[number - 1] ?? first, turns: turns.length, out_of_sight: 2, removed: [] },
    until: number < turns.length ? ago(190 - number * 10) : null,
    in_sight: turns.slice(0, number - 1).filter(({ parts }) => parts.length > 0),
    told: [{ at: refusal.at, session: HOST, kind: "refusal", tool: "bash", text: refusal.what }],
  }
}

export const health: model.HealthView = {
  problems: [
    {
      what: "task 9a1b2c3d: parent_plan_id points at plan 5d6e7f80, which is not there",
      ...{ level: "quarantined", file: "graph/parts/tasks.0001.000003-3f2a9c1d.json" },
      mend: "Bring back the record that it links to (`hivemind log <id>` shows how that record was removed).",
    },
  ],
  unlisted: 0,
  unfolded: { entries: 36, bytes: 18_400 },
  conflicts: [conflict],
  settled: [{ ...conflict, id: idOf("5", 2), lost: "title “Write the docs”" }],
  setAside: ["graph/parts/mem-0002.jsonl.broken-150314112026"],
  sizes: [
    { name: "log", bytes: 1_840_000 },
    { name: "graph", bytes: 612_000 },
    { name: "archive", bytes: 204_000 },
    { name: "told", bytes: 96_000 },
  ],
  snapshots: {
    ...{ isOn: true, canTake: true, count: 37, bytes: 4_300_000, oldest: ago(4_000) },
    ...{ keepDays: 14, maxMb: 1024 },
  },
  sync: "8 entries not in the repository's log yet (2 clones); not all shared with origin",
  asked: [
    {
      ...{ id: idOf("4", 1), at: ago(70), from: "dashboard", isWaiting: false },
      text: "Unblock task: task “Send a reset link by mail”",
      refusal: {
        what: "The task was not unblocked.",
        why: "A decision is open: How long does a reset link live?",
        use_instead: "Take the decision.",
      },
    },
  ],
  refusals: { items: [refusal], total: 14, more: 13 },
}

export const doctor: model.DoctorView = {
  checks: [
    { name: "node", level: "ok", found: ["v20"], mend: null },
    { name: "lock", level: "ok", found: ["free"], mend: null },
    { name: "disk", level: "warning", found: ["120 MB free"], mend: "Free some space." },
  ],
}

export const plans = [plan, otherPlan]
