import type { ConflictWords } from "../../graph/conflict-words.ts"
import type { Pressure } from "../../graph/pressure.ts"
import type { Anchor, Mem } from "../../schemas/knowledge.ts"
import type { FixedCost } from "../../views/context/fixed-cost.ts"
import type { Turn } from "../../views/context/turns.ts"
import type { Counts } from "../../views/hierarchy/counts.ts"
import type { StepKind } from "../../views/log/story-step.ts"
import type { MemDetail } from "../../views/look/mems.ts"
import type { Page } from "../../views/look/page.ts"
import type { PlanDetail, PlanRow } from "../../views/look/plans.ts"
import type { RefusalRow } from "../../views/look/refusals.ts"
import type { SessionRow } from "../../views/look/sessions.ts"
import type { RestorePreview } from "../../views/look/snapshots.ts"
import type { SpentShort } from "../../views/look/spent.ts"
import type { TaskDetail, TaskRow } from "../../views/look/tasks.ts"

// What the page gets from the server, one type for each of its views. Types only: the page takes no code from here.

export type { DriftBegan } from "../../views/context/drift-began.ts"
export type { Replay } from "../../views/context/replay.ts"
export type { FixedCost, Page, PlanDetail, PlanRow, RefusalRow, SessionRow, TaskRow, Turn }

/** `GET /api/now` */
export interface NowView {
  project: { name: string; dir: string; branch: string | null }
  /** What is being done, by whom and what for. */
  threads: Thread[]
  /** Questions that wait for a person, the oldest first. */
  decisions: OpenDecision[]
  /** The plan that was last at work: `next` and `blocked` are of it. */
  plan: PlanRow | null
  /** What can be started. */
  next: TaskRow[]
  blocked: TaskRow[]
  otherPlans: PlanRow[]
  /** Without those that are closed. */
  sessions: OpenSession[]
  delegations: { id: string; task: string; agent: string; status: string; since: string }[]
  warnings: { session: string; name: string; signal: string; severity: string; text: string }[]
  /** Of the open session that has least room left. */
  window: (Pressure & { session: string; name: string }) | null
  spent: SpentShort | null
  conflicts: number
  problems: number
  /** Commands of people that no process has taken up yet. */
  waiting: number
  anchors: Anchor[]
  counts: Counts
}

/** A chain that holds: each step is part of the one before. */
export interface Thread {
  /** Who is at it; null where no open session is. */
  session: { id: string; name: string } | null
  intent: string | null
  plan: PlanRow | null
  phase: string | null
  tasks: TaskRow[]
}

export interface OpenDecision {
  id: string
  content: string
  at: string
  /** What cannot go on without it. */
  keeps: { id: string; title: string }[]
}

export interface OpenSession extends SessionRow {
  /** The user's words have moved it, which can be taken back. */
  hasShifted: boolean
}

/** `GET /api/plans` */
export type PlansView = Page<PlanRow>

/** `GET /api/plan?id=` */
export interface PlanView {
  plan: PlanDetail
  /** In the order that `move_task` changes: the page offers to move a task past its neighbours in it. */
  tasks: TaskRow[]
  /** `from` has to be done before `to`. */
  edges: { from: string; to: string; why: "depends_on" | "gate" | "part" }[]
}

/** `GET /api/task?id=` */
export interface TaskView extends TaskDetail {
  /** All that it waits for, in the order that it would have to be cleared. */
  obstacles: {
    why: string
    on: { kind: "task" | "mem" | "plan"; id: string; title: string } | null
    /** A person can decide it. */
    isDecision: boolean
  }[]
}

/**
 * `GET /api/memory?q=&kind=&shelf=&standing=&page=`: recalled where there is a `q`, else the newest. `standing` is `open`
 * (decisions), `changed` (the evidence), `invalidated` or `superseded`; else those in force.
 */
export interface MemoryView extends Page<MemoryItem> {
  shelves: string[]
}

export interface MemoryItem {
  id: string
  short: string
  kind: Mem["kind"] | "failed task"
  content: string
  /** Why it was found; null in a plain list. */
  why: string | null
  at: string | null
  isArchived: boolean
  status: Mem["status"] | null
  /** A failed task lies on none. */
  shelf: string | null
  /** A decision that nobody has taken. */
  isOpen: boolean
  tags: string[]
}

/** `GET /api/mem?id=` */
export interface MemView extends MemDetail {
  /** What it is linked with, in both directions. */
  links: { id: string; kind: string; title: string; field: string; direction: "to" | "from" }[]
}

/**
 * `GET /api/timeline?session=&record=&find=&kind=&page=`: the newest first. Without a `kind`, all but bookkeeping; with
 * `all`, everything. A session is given by its stamp or the host's id.
 */
export type TimelineView = Page<TimelineItem>

export interface TimelineItem {
  id: string
  short: string
  at: string
  kind: StepKind | "refusal" | "warning" | "snapshot"
  /** What it is, in a sentence. */
  text: string
  tool: string
  session: string | null
  agent: string | null
  /** One by one, in words. */
  changes: string[]
  lost: string[]
  undoneBy: string | null
  undoes: string | null
  /** The clone that wrote it, if it was another one. */
  from: string | null
  /** A refused call is no change, but part of the story. */
  refusal: RefusalRow | null
}

/** `GET /api/restore?id=S41`: what restoring a snapshot would do. Of long lists the first ones. */
export interface RestoreView extends RestorePreview {
  total: { write: number; conflicts: number; created: number }
}

/** `GET /api/context?session=`: the session that was last told something, or the one that is asked for. */
export interface ContextView {
  session: SessionRow | null
  sessions: SessionRow[]
  turns: Turn[]
  /** What is named in them, by id, as far as it is still there. */
  names: Readonly<Record<string, string>>
  fixed: FixedCost
  window: Pressure | null
  /** The answers of its models, oldest first: what each read anew and from the cache, and how full the window was. */
  answers: { at: string; fresh: number; cached: number; share: number | null }[]
}

/** `GET /api/health` */
export interface HealthView {
  problems: {
    what: string
    level: string
    file: string
    mend: string | null
    /** Of a record in quarantine: what `repair_record` names it by, what it says of itself, and its text to be mended. */
    record?: { kind: string; id: string | null; name: string | null; field: string | null; json: string }
  }[]
  unlisted: number
  edited: string[]
  unfolded: { entries: number; bytes: number }
  /** Broken files that a person may want something of, relative to `.hivemind/`. */
  setAside: string[]
  conflicts: ConflictRow[]
  /** Those that a rule or somebody has settled, the newest first. */
  settled: ConflictRow[]
  sizes: { name: string; bytes: number }[]
  /** How far the log is shared; null outside git, or where git gives no answer. */
  sync: string | null
  snapshots: {
    isOn: boolean
    /** Git is there to take them with. */
    canTake: boolean
    count: number
    bytes: number
    oldest: string | null
    keepDays: number
    maxMb: number
  }
  /** Changes of people that wait, then those that were refused. */
  asked: {
    id: string
    at: string
    from: string
    text: string
    isWaiting: boolean
    refusal: { what: string; why: string; use_instead: string } | null
  }[]
  refusals: Page<RefusalRow>
}

export interface ConflictRow extends ConflictWords {
  id: string
  at: string
  /** The clones that wrote the two, where that is known. */
  kept_by: string | null
  lost_by: string | null
}

/** `GET /api/doctor`: all that `hivemind doctor --no-start` looks at. */
export interface DoctorView {
  checks: {
    name: string
    level: "ok" | "warning" | "trouble" | "skipped"
    found: string[]
    mend: string | null
  }[]
}

/** `GET /api/projects` */
export interface ProjectsView {
  projects: { id: string; name: string; dir: string; isOpen: boolean }[]
}

/** `POST /api/commands` takes `{command}` (see schemas/queued-command.ts); `GET /api/command?id=` tells how it went. */
export interface CommandView {
  id: string
  state: "waiting" | "done" | "refused"
  /** Of a refused one, of one that cannot be applied yet, and where there is more to tell of one that was. */
  what: string | null
  why: string | null
  use_instead: string | null
}

/**
 * `GET /api/events`: server-sent events. `change` when something that a view shows may have changed; `queue` when a command was
 * applied or refused, with its CommandView.
 */

/** Every answer that is not 200. */
export interface ErrorView {
  code: string
  what: string
  why: string
  use_instead: string
}
