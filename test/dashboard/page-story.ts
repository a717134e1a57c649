import type {
  ContextView,
  DoctorView,
  DriftBegan,
  HealthView,
  MemoryItem,
  MemView,
  NowView,
  PlanRow,
  PlanView,
  RefusalRow,
  Replay,
  RestoreView,
  SessionRow,
  TaskRow,
  TaskView,
  TimelineItem,
  Turn,
} from "../../src/dashboard/answers/model.ts"
import type { Mem } from "../../src/schemas/knowledge.ts"

// A project half-way through a piece of work, as the server would tell it: for the page's tests and its pictures.

/** Relative to now, so that the page says the same every day. */
const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()
const idOf = (letter: string, number: number) =>
  `${letter.repeat(7)}${number.toString(16)}-0000-4000-8000-${String(number).padStart(12, "0")}`

const PLAN = idOf("a", 1)
const STAMP = "300415112026"
const HOST = "ses_login"

const TITLES: [title: string, status: TaskRow["status"], phase: string, waits: string | null][] = [
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

export const tasks: TaskRow[] = TITLES.map(([title, status, phase, waits], at) => ({
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

export const plan: PlanRow = {
  id: PLAN,
  short: PLAN.slice(0, 8),
  title: "Sign-in that people can rely on",
  status: "active",
  isOpen: true,
  tasks: { all: 12, done: 3, given_up: 1, under_way: 2 },
  sessions: [STAMP],
  branch: "feature/sign-in",
  created_at: ago(2_900),
  updated_at: ago(4),
}

const otherPlan: PlanRow = {
  ...plan,
  id: idOf("a", 2),
  title: "Invoices as PDF",
  tasks: { all: 7, done: 5, given_up: 0, under_way: 0 },
  sessions: [],
}

const session: SessionRow = {
  id: idOf("c", 1),
  short: "ccccccc1",
  stamp: STAMP,
  host_id: HOST,
  host: "opencode",
  agent: "builder",
  intent: "Make sign-in work with a cookie that survives a restart of the API",
  name: "Make sign-in work with a cookie that survives a restart of the API",
  state: "open",
  parent: null,
  plan: { id: PLAN, title: plan.title },
  tasks: [{ id: tasks[3]?.id ?? "", short: "bbbbbbb4", title: tasks[3]?.title ?? "" }],
  window: { tokens: 96_400, window: 200_000, share: 0.482 },
  created_at: ago(190),
  updated_at: ago(3),
}

export const now: NowView = {
  project: { name: "corner-shop", dir: "/home/ada/corner-shop", branch: "feature/sign-in" },
  threads: [
    {
      session: { id: HOST, name: session.intent ?? "" },
      ...{ intent: session.intent, plan, phase: "Sign-in" },
      tasks: tasks.slice(3, 4),
    },
    {
      session: null,
      ...{ intent: null, plan: otherPlan, phase: null },
      tasks: [
        {
          ...(tasks[11] as TaskRow),
          ...{ id: idOf("b", 90), title: "Number invoices per year", phase: null },
          plan: { id: otherPlan.id, title: otherPlan.title },
        },
      ],
    },
  ],
  decisions: [
    {
      id: idOf("9", 6),
      content: "How long does a reset link live? Support asks for a day, security for an hour.",
      at: ago(4_400),
      keeps: [{ id: idOf("b", 7), title: "Send a reset link by mail" }],
    },
  ],
  plan,
  next: [tasks[4], tasks[7], tasks[9]].flatMap((task) => task ?? []),
  blocked: tasks.filter(({ status }) => status === "blocked"),
  otherPlans: [otherPlan],
  openPlans: [],
  unplanned: [
    {
      ...{ host_id: "ses_quick", stamp: "301618112026", name: "Make the search faster", state: "left" },
      files: ["src/search/perf.js"],
      checks: [{ command: "npm test", ok: true }],
      last_answer: "The search takes half the time now.",
      at: ago(90),
    },
  ],
  sessions: [
    { ...session, hasShifted: true },
    {
      ...session,
      hasShifted: false,
      ...{
        id: idOf("c", 2),
        host_id: "mcp-2",
        host: "mcp",
        stamp: "120815112026",
        state: "left",
        tasks: [],
        window: null,
      },
      intent: "Look at how invoices are numbered",
      name: "Look at how invoices are numbered",
      updated_at: ago(1_300),
    },
  ],
  delegations: [
    {
      id: idOf("d", 1),
      task: "Measure a sign-in under load",
      agent: "investigator",
      status: "running",
      since: ago(9),
    },
  ],
  warnings: [
    {
      session: HOST,
      name: session.intent ?? "",
      signal: "failed_checks",
      severity: "medium",
      text: "Three commands failed after an edit and none has passed. Read the first error again before the next edit, or take the last edit back.",
    },
  ],
  window: { tokens: 96_400, window: 200_000, share: 0.482, session: HOST, name: session.intent ?? "" },
  spent: { answers: 214, fresh: 486_000, cached: 3_920_000, output: 118_000, cost: 6.42 },
  conflicts: 1,
  problems: 1,
  waiting: 0,
  anchors: [
    anchor(1, "database", "PostgreSQL 16; migrations in db/migrations, never edited after they ran"),
    anchor(2, "deploy", "Only from main, by the release workflow"),
  ],
  counts: {
    ...{ plans: 2, open_plans: 2, anchors: 2, sessions: 5, open_sessions: 2 },
    tasks: { planned: 4, completed: 3 },
    mems: { hot: 41, in_force: 41, archived: 12 },
  },
}

function anchor(number: number, key: string, value: string): NowView["anchors"][number] {
  return {
    ...{ id: idOf("e", number), key, value, priority: "high", type: "context", status: "active" },
    ...{ session_id: null, related_to: [], branch: null },
    ...{ created_at: ago(5_000), updated_at: ago(5_000), stamp: STAMP },
  }
}

const EDGES: [number, number, PlanView["edges"][number]["why"]][] = [
  [1, 4, "depends_on"],
  [2, 3, "depends_on"],
  [3, 4, "depends_on"],
  [4, 5, "depends_on"],
  [4, 6, "depends_on"],
  [3, 7, "depends_on"],
  [7, 8, "depends_on"],
  [8, 10, "gate"],
  [5, 12, "depends_on"],
  [6, 12, "depends_on"],
]

const refusal: RefusalRow = {
  ...{
    id: idOf("f", 1),
    short: "fffffff1",
    at: ago(26),
    session: HOST,
    agent: "builder",
    tool: "bash",
    code: "destructive",
  },
  what: "The command would discard uncommitted changes.",
  why: "git reset --hard would lose 3 changed files, one of them written by task “Hash passwords with argon2id”.",
  use_instead: "Commit or stash them first; git stash keeps all three.",
  ...{
    evidence: "src/auth/hash.ts",
    files: [],
    command: "git reset --hard HEAD~1",
    task: tasks[3]?.id ?? null,
    times: 2,
  },
  lift: "Run the command yourself in a terminal.",
}

const mem: Mem = {
  ...{
    id: idOf("9", 1),
    origin_task_id: tasks[0]?.id ?? null,
    session_id: HOST,
    shelf: "auth",
    origin: "saved",
  },
  ...{ kind: "decision", status: "active", tags: ["sessions", "redis"], confidence: 0.9, resolved: true },
  content:
    "Sessions live in Redis, not in the main database: a sign-in writes on every request, and the database's write lock made pages wait 300 ms at noon.",
  evidence: ["src/auth/session-store.ts:14@3f9a1c22d0", "measured with npm run bench:sign-in"],
  ...{
    supersedes: idOf("9", 2),
    scope: null,
    parent_mem_id: null,
    related_to: [idOf("9", 3)],
    reason: null,
    stale_at: null,
  },
  ...{ branch: "feature/sign-in", created_at: ago(1_500), updated_at: ago(1_500), stamp: STAMP },
}

export const planView: PlanView = {
  plan: {
    ...plan,
    record: {
      ...{
        id: PLAN,
        title: plan.title,
        purpose: "work",
        sot_document_path: null,
        depends_on: [],
        owned_by: null,
      },
      acceptance: ["A restart of the API signs nobody out", "A stolen cookie is of no use after a reset"],
      ...{ status: "active", reason: null, completed_at: null, summary: null, branch: plan.branch },
      ...{ created_at: plan.created_at, updated_at: plan.updated_at, stamp: STAMP },
    },
    files: ["src/auth/session-store.ts", "src/auth/hash.ts", "test/auth/sign-in.test.ts"],
    mems: [mem],
    refusals: [refusal],
    spent: now.spent,
  },
  tasks,
  edges: EDGES.map(([from, to, why]) => ({ from: idOf("b", from), to: idOf("b", to), why })),
}

/** A plan of which little is left, and nothing is in most columns. */
export const otherPlanView: PlanView = {
  plan: { ...planView.plan, ...otherPlan },
  tasks: tasks.slice(0, 1).map((task) => ({
    ...task,
    title: "Number invoices without gaps, also where two clerks write one in the same second",
    plan: { id: otherPlan.id, title: otherPlan.title },
  })),
  edges: [],
}

export function taskView(row: TaskRow): TaskView {
  return {
    ...row,
    record: {
      ...{
        id: row.id,
        parent_plan_id: PLAN,
        parent_phase_id: idOf("7", 1),
        parent_task_id: null,
        type: "main",
        held_back: null,
        rank: null,
      },
      ...{ title: row.title, purpose: "work", status: row.status, depends_on: [], temporal_gate: null },
      expected_output:
        "A cookie that is signed, HttpOnly and renewed once a day; the test of a restart passes.",
      ...{ delegated_by: null, assigned_to: row.assigned_to, assigned_session_id: HOST, allowed_tools: null },
      ...{
        file_locks: [],
        verify: "npm test -- sign-in",
        decisions: [],
        ahead: false,
        file: null,
        line: null,
      },
      ...{ evidence: null, reason: null, started_at: ago(120), completed_at: null, branch: null },
      ...{ created_at: ago(2_000), updated_at: row.updated_at, stamp: STAMP },
    },
    did: [
      checkpoint(1, "edit", "Wrote src/auth/session-store.ts", true, null),
      checkpoint(
        2,
        "bash",
        "The test of a restart failed: the cookie names no version",
        false,
        "npm test -- sign-in",
      ),
      checkpoint(3, "edit", "Put a version into the cookie", true, null),
    ],
    files: ["src/auth/session-store.ts", "test/auth/sign-in.test.ts"],
    parts: [],
    mems: [mem],
    delegations: [],
    refusals: [refusal],
    obstacles:
      row.waits === null
        ? []
        : row.waits.startsWith("decision")
          ? [
              {
                why: "A decision is open: How long does a reset link live?",
                on: { kind: "mem", id: idOf("9", 6), title: "How long does a reset link live?" },
                isDecision: true,
              },
            ]
          : [
              {
                why: "It depends on “Issue a session cookie after sign-in”, which is active.",
                on: { kind: "task", id: idOf("b", 4), title: "Issue a session cookie after sign-in" },
                isDecision: false,
              },
            ],
    spent: { answers: 38, fresh: 71_000, cached: 640_000, output: 19_400, cost: 1.07 },
  }
}

function checkpoint(
  number: number,
  tool: string,
  summary: string,
  ok: boolean,
  command: string | null,
): TaskView["did"][number] {
  return {
    ...{ id: idOf("8", number), task_id: tasks[3]?.id ?? "", session_id: HOST, tool, summary, command, ok },
    ...{ files: command === null ? ["src/auth/session-store.ts"] : [], removed: [], branch: null },
    did: command === null ? [] : ["verify"],
    run: command === null ? null : { tree: null, exit: 1, output: "expected 200, got 401", changed: [] },
    ...{ created_at: ago(40 - number * 8), updated_at: ago(40 - number * 8), stamp: STAMP },
  }
}

const MEMS: [kind: MemoryItem["kind"], content: string, tags: string[], status: MemoryItem["status"]][] = [
  ["decision", mem.content, mem.tags, "active"],
  [
    "false_path",
    "Keeping sessions in the main database: it locks the table on every request. Tried twice, taken back twice.",
    ["sessions"],
    "active",
  ],
  [
    "fact",
    "The mail service drops a message without a plain-text part and reports success.",
    ["mail"],
    "active",
  ],
  [
    "insight",
    "The restart test is only honest with two API processes: with one, the old cookie is still in memory.",
    ["tests"],
    "active",
  ],
  [
    "pattern",
    "Every handler takes the clock as an argument, so that a test can move it.",
    ["tests", "style"],
    "active",
  ],
  [
    "decision",
    "How long does a reset link live? Support asks for a day, security for an hour.",
    ["recovery"],
    "active",
  ],
  [
    "fact",
    "argon2id with 64 MB takes 90 ms on the smallest machine that we deploy to.",
    ["auth", "speed"],
    "active",
  ],
  [
    "insight",
    "Sessions could live in the main database if the pool is large enough.",
    ["sessions"],
    "superseded",
  ],
]

export const mems: MemoryItem[] = MEMS.map(([kind, content, tags, status], at) => ({
  ...{
    id: idOf("9", at + 1),
    short: `9999999${at + 1}`,
    kind,
    content,
    tags,
    status,
    shelf: "context",
    isArchived: false,
    isOpen: kind === "decision" && content.includes("?"),
    why: null,
  },
  at: ago(90 + at * 700),
}))

export function memView(item: MemoryItem): MemView {
  const isDecision = item.kind === "decision"
  const link = (number: number, field: string, direction: "to" | "from"): MemView["links"][number] => ({
    ...{ id: idOf("9", number), kind: "mem", title: mems[number - 1]?.content ?? "", field, direction },
  })
  return {
    mem: {
      ...mem,
      ...{ id: item.id, content: item.content, tags: item.tags, status: item.status ?? "active" },
      kind: item.kind === "failed task" ? "false_path" : item.kind,
      resolved: isDecision ? !item.content.includes("?") : null,
    },
    archived: false,
    evidence: [
      { evidence: mem.evidence[0] ?? "", state: "verified" },
      { evidence: mem.evidence[1] ?? "", state: null },
    ],
    isUnverified: false,
    confidence: 0.86,
    recalled: { count: 7, at: ago(33) },
    links: [
      link(8, "supersedes", "to"),
      link(2, "related_to", "to"),
      link(4, "mem.supersedes", "from"),
      {
        id: tasks[0]?.id ?? "",
        kind: "task",
        title: tasks[0]?.title ?? "",
        field: "origin_task_id",
        direction: "to",
      },
    ],
  }
}

const STEPS: [
  minutes: number,
  kind: TimelineItem["kind"],
  text: string,
  tool: string,
  agent: string | null,
  changes: string[],
][] = [
  [
    4,
    "checkpoint",
    "Put a version into the cookie",
    "hivemind_task",
    "builder",
    ["task “Issue a session cookie after sign-in”: checkpoint “Put a version into the cookie”"],
  ],
  [26, "refusal", refusal.what, "bash", null, []],
  [
    31,
    "mem",
    "Learned: The restart test is only honest with two API processes",
    "hivemind_mem",
    "builder",
    ["mem “The restart test is only honest with two API processes” saved"],
  ],
  [58, "context", "The conversation was replaced by a summary", "compaction", null, ["compacted"]],
  [
    95,
    "done",
    "Finished “Hash passwords with argon2id”",
    "hivemind_task",
    "builder",
    [
      "task “Hash passwords with argon2id”: active → completed",
      "mem “argon2id with 64 MB takes 90 ms” made of it",
    ],
  ],
  [
    1_480,
    "task",
    "A person blocked “Lock an account after ten wrong passwords”: first the cookie",
    "dashboard",
    "Ada",
    ["task “Lock an account after ten wrong passwords”: planned → blocked"],
  ],
  [
    1_500,
    "decision",
    "Decided: Sessions live in Redis, not in the main database",
    "hivemind_mem",
    "builder",
    ["decision “Sessions live in Redis” saved", "mem “Sessions could live in the main database” superseded"],
  ],
  [
    1_530,
    "sync",
    "Came from grace: Made the plan “Invoices as PDF”",
    "sync",
    null,
    ["plan “Invoices as PDF” brought along"],
  ],
  [
    1_600,
    "failure",
    "Gave up “Keep sessions in the main database”: it locks the table on every request",
    "hivemind_task",
    "builder",
    ["task “Keep sessions in the main database”: active → failed"],
  ],
]

export const timeline: TimelineItem[] = STEPS.map(([minutes, kind, text, tool, agent, changes], at) => ({
  ...{
    id: idOf("6", at + 1),
    short: `6666666${at + 1}`,
    at: ago(minutes),
    kind,
    text,
    tool,
    agent,
    changes,
  },
  session: agent === "builder" ? HOST : null,
  ...{
    undoneBy: null,
    undoes: null,
    from: tool === "sync" ? "grace" : null,
    refusal: changes.length === 0 ? refusal : null,
  },
}))
timeline.push({
  ...{ id: "S41", short: "S41", at: ago(4_000), kind: "snapshot", tool: "bash", session: HOST, agent: null },
  text: "Deleted 1 file: notes/reset-link.md (rm -r notes)",
  changes: ["rm -r notes", "deleted 1 file: notes/reset-link.md"],
  ...{ undoneBy: null, undoes: null, from: null, refusal: null },
})

export const restore: RestoreView = {
  id: "S41",
  write: ["notes/reset-link.md"],
  conflicts: [{ path: "README.md", why: "it has changed since" }],
  created: ["notes.tar"],
  refs: [{ name: "refs/heads/topic", commit: "3f9a1c22d03f9a1c22d0" }],
  ...{ stashes: 1, staged: 0, notes: [] },
  total: { write: 1, conflicts: 1, created: 1 },
}

function turn(number: number): Turn {
  const isKey = number === 1 || number === 11
  const kind = isKey ? "keyframe" : number % 5 === 0 ? "none" : "delta"
  const tokens = isKey ? 1_840 : kind === "none" ? 0 : 120 + ((number * 97) % 260)
  return {
    ...{
      turn: number,
      message: `msg_${number}`,
      at: ago(200 - number * 10),
      kind,
      tokens,
      budget: 2_000,
      repeated: isKey ? 310 : 0,
    },
    parts:
      kind === "none"
        ? []
        : [
            `<hivemind_${isKey ? "state" : "delta"} session="${STAMP}">\n  <task id="bbbbbbb4" status="active">Issue a session cookie after sign-in</task>\n  <avoid id="99999992">Keeping sessions in the main database</avoid>\n</hivemind_${isKey ? "state" : "delta"}>`,
          ],
    items: kind === "none" ? [] : ITEMS,
    gone: isKey ? [] : [{ kind: "task", id: tasks[2]?.id ?? "", role: "task" }],
    dropped: isKey ? [{ section: "mems", reason: "over the budget", count: 23, examples: [] }] : [],
    reason: isKey
      ? number === 1
        ? "The first message of the session."
        : "The conversation was compacted."
      : kind === "none"
        ? "Nothing has changed since the last message."
        : "Two things have changed since the last message.",
    ...{ score: 72, pruned: [], drift: { score: number > 12 && number < 16 ? 0.6 : 0, signals: [] } },
  }
}

const ITEMS: Turn["items"] = [
  item("task", "b", 4, "task", "chain", "the task at the read-head", 46, {
    id: "bbbbbbb4",
    title: "Issue a session cookie after sign-in",
  }),
  item("task", "b", 5, "next", "next", "can be started when it is done", 24, { id: "bbbbbbb5" }),
  item("mem", "9", 1, "decision", "decisions", "decided for this task; recalled 7 times", 61, {
    id: "99999991",
  }),
  item("mem", "9", 2, "avoid", "anti_patterns", "a false path with the words “sessions” and “database”", 38, {
    id: "99999992",
  }),
  item("anchor", "e", 1, "anchor", "anchors", "high priority", 22, { key: "database" }),
]

function item(
  kind: Turn["items"][number]["kind"],
  letter: string,
  number: number,
  role: Turn["items"][number]["role"],
  section: Turn["items"][number]["section"],
  reason: string,
  tokens: number,
  identity: Record<string, string>,
): Turn["items"][number] {
  return { kind, id: idOf(letter, number), role, section, reason, tokens, identity, hash: "h" }
}

const turns: Turn[] = Array.from({ length: 18 }, (_, at) => turn(at + 1))

export const context: ContextView = {
  session,
  sessions: [session],
  turns,
  names: {
    ...Object.fromEntries(tasks.map(({ id, title }) => [id, title])),
    ...{ [idOf("9", 1)]: "Sessions live in Redis", [idOf("9", 2)]: "Keeping sessions in the main database" },
  },
  fixed: {
    tokens: 1_412,
    system: {
      tokens: 268,
      text: "You work with HiveMind, which keeps plans, tasks and memories of this project.",
    },
    tools: {
      tokens: 1_144,
      each: [
        { name: "hivemind_task", tokens: 402, text: "" },
        { name: "hivemind_mem", tokens: 388, text: "" },
      ],
    },
  },
  window: session.window,
  answers: Array.from({ length: 60 }, (_, at) => ({
    at: ago(190 - at * 3),
    fresh: at === 33 ? 41_000 : 2_100 + ((at * 811) % 3_900),
    cached: at < 33 ? at * 4_100 : at === 33 ? 0 : 20_000 + (at - 33) * 2_900,
    share: at < 33 ? 0.08 + at * 0.022 : 0.21 + (at - 33) * 0.0105,
  })),
}

export const drift: DriftBegan = {
  session: HOST,
  points: [],
  began: {
    turn: 12,
    at: ago(80),
    until: ago(70),
    score: 0.6,
    signals: ["failed_checks"],
    isOver: true,
    calls: null,
    found: [],
    entries: [],
    told: [],
  },
}

export function replay(number: number): Replay {
  const [first] = turns
  const chosen = turns[number - 1] ?? first
  if (chosen === undefined) throw new Error("no turn")
  return {
    ...{
      session: HOST,
      turn: chosen,
      turns: turns.length,
      until: number < turns.length ? ago(190 - number * 10) : null,
    },
    in_sight: turns.slice(0, number - 1).filter(({ parts }) => parts.length > 0),
    ...{ out_of_sight: 2, removed: [] },
    told: [
      {
        at: refusal.at,
        session: HOST,
        kind: "refusal",
        tool: "bash",
        text: `${refusal.what}\n${refusal.use_instead}`,
      },
    ],
  }
}

export const health: HealthView = {
  problems: [
    {
      what: "task 9a1b2c3d: parent_plan_id points at plan 5d6e7f80, which is not there",
      ...{ level: "quarantined", file: "graph/parts/tasks.0001.000003-3f2a9c1d.json" },
      mend: "Bring back the record that it points at (`hivemind log 9a1b2c3d` shows its history).",
    },
  ],
  unlisted: 0,
  unfolded: { entries: 36, bytes: 18_400 },
  conflicts: [
    {
      ...{ id: idOf("5", 1), at: ago(1_530), record: "task “Send a reset link by mail”" },
      ...{ stands: "status blocked", lost: "status active, assigned to grace" },
      ...{ happened: "changed by two clones", kept_by: "ada-laptop", lost_by: "grace" },
    },
  ],
  settled: [
    {
      ...{ id: idOf("5", 2), at: ago(2_100), record: "task “Describe sign-in for the team”" },
      ...{ stands: "title “Describe sign-in for the team”", lost: "title “Write the docs”" },
      ...{ happened: "changed by two clones", kept_by: "ada-laptop", lost_by: "grace" },
    },
  ],
  setAside: ["graph/parts/mem-0002.jsonl.broken-150314112026"],
  sizes: [
    { name: "log", bytes: 1_840_000 },
    { name: "graph", bytes: 612_000 },
    { name: "archive", bytes: 204_000 },
    { name: "told", bytes: 96_000 },
  ],
  snapshots: {
    ...{
      isOn: true,
      canTake: true,
      count: 37,
      bytes: 4_300_000,
      oldest: ago(4_000),
      keepDays: 14,
      maxMb: 1024,
    },
  },
  sync: "8 not in the repository's log yet, of 2 clones; not all shared with origin",
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

export const doctor: DoctorView = {
  checks: [
    { name: "node", level: "ok", found: ["v20"], mend: null },
    { name: "lock", level: "ok", found: ["free"], mend: null },
    { name: "disk", level: "warning", found: ["120 MB free"], mend: "Free some space." },
  ],
}

export const plans = [plan, otherPlan]
