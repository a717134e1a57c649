import type { ConflictWords } from "../../graph/open-conflicts.ts"
import type { Pressure } from "../../graph/pressure.ts"
import type { Anchor, Mem } from "../../schemas/knowledge.ts"
import type { FixedCost } from "../../views/context/injected.ts"
import type { Turn } from "../../views/context/turns.ts"
import type { SpentShort } from "../../views/lists/costs.ts"
import type { MemDetail } from "../../views/lists/mems.ts"
import type { Page } from "../../views/lists/page.ts"
import type { OpenPlanRow, PlanDetail, PlanRow } from "../../views/lists/plans.ts"
import type { RefusalRow } from "../../views/lists/refusals.ts"
import type { SessionRow } from "../../views/lists/sessions.ts"
import type { RestorePreview } from "../../views/lists/snapshots.ts"
import type { TaskDetail, TaskRow } from "../../views/lists/tasks.ts"
import type { UnplannedRow } from "../../views/lists/unplanned.ts"
import type { StepKind } from "../../views/log/narrative.ts"
import type { Counts } from "../../views/status.ts"

// The server's answers, one type for each view of the page. Types only: the page bundles no code from here.

export type { DriftBegan, Replay } from "../../views/context/turns.ts"
export type { FixedCost, Page, PlanRow, RefusalRow, SessionRow, TaskRow, Turn }

/** `GET /api/now` */
export interface NowView {
  /** The notice that no host loads HiveMind in this folder; absent if the configs could not be read. */
  inactive?: string | null
  /** The offer to import past sessions of agents; absent where they were not searched for. */
  past_sessions?: string | null
  project: { name: string; dir: string; branch: string | null }
  /** Chains from intent to task. */
  threads: Thread[]
  /** Open decisions, which wait for a person, the oldest first. */
  decisions: OpenDecision[]
  /** The plan last worked on; `next` and `blocked` are its tasks. */
  plan: PlanRow | null
  /** Tasks that can be started. */
  next: TaskRow[]
  blocked: TaskRow[]
  otherPlans: PlanRow[]
  /** Without an open plan at hand: plans that can be taken up, the most recently worked on first. */
  openPlans: OpenPlanRow[]
  /** Work without a plan, by session, the newest first. */
  unplanned: UnplannedRow[]
  /** Open sessions only. */
  sessions: OpenSession[]
  delegations: { id: string; task: string; agent: string; status: string; since: string }[]
  warnings: { session: string; name: string; signal: string; severity: string; text: string }[]
  /** The open session with the least room left. */
  window: (Pressure & { session: string; name: string }) | null
  spent: SpentShort | null
  conflicts: number
  problems: number
  /** Queued commands that no process has applied yet. */
  waiting: number
  anchors: Anchor[]
  counts: Counts
}

/** A chain from intent to task: each step is part of the one before. */
export interface Thread {
  /** The session that works on it; null where none is open. */
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
  /** Tasks that wait for it. */
  keeps: { id: string; title: string }[]
}

export interface OpenSession extends SessionRow {
  /** An intent shift moved its read-head; it can be taken back. */
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
  /** The obstacles to its start, in the order to resolve them. */
  obstacles: {
    why: string
    on: { kind: "task" | "mem" | "plan"; id: string; title: string } | null
    /** An open decision, which a person can resolve. */
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
  /** Null for a failed task. */
  shelf: string | null
  /** An open decision. */
  isOpen: boolean
  tags: string[]
}

/** `GET /api/mem?id=` */
export interface MemView extends MemDetail {
  /** Links in both directions. */
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
  /** The step in a sentence. */
  text: string
  tool: string
  session: string | null
  agent: string | null
  /** Each change in words. */
  changes: string[]
  undoneBy: string | null
  undoes: string | null
  /** The clone that wrote it, if it was another one. */
  from: string | null
  /** Set for a refused call. */
  refusal: RefusalRow | null
}

/** `GET /api/restore?id=S41`: the preview of a restore. Of long lists the first ones. */
export interface RestoreView extends RestorePreview {
  total: { write: number; conflicts: number; created: number }
}

/** `GET /api/context?session=`: the session that was last sent context, or the one that is asked for. */
export interface ContextView {
  session: SessionRow | null
  sessions: SessionRow[]
  turns: Turn[]
  /** Titles of the records in them, by id, where they still exist. */
  names: Readonly<Record<string, string>>
  fixed: FixedCost
  window: Pressure | null
  /** Model responses, oldest first: fresh and cached input tokens, and how full the window was. */
  answers: { at: string; fresh: number; cached: number; share: number | null }[]
}

/** `GET /api/health` */
export interface HealthView {
  problems: {
    what: string
    level: string
    file: string
    mend: string | null
  }[]
  unlisted: number
  unfolded: { entries: number; bytes: number }
  /** Broken files that were kept, relative to `.hivemind/`. */
  setAside: string[]
  conflicts: ConflictRow[]
  /** Conflicts that a rule or a person has settled, the newest first. */
  settled: ConflictRow[]
  sizes: { name: string; bytes: number }[]
  /** How far the log is shared; null outside git, or where git gives no answer. */
  sync: string | null
  snapshots: {
    isOn: boolean
    /** Git is installed. */
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
  /** The clones that wrote the two values, where known. */
  kept_by: string | null
  lost_by: string | null
}

/** `GET /api/doctor`: the checks of `hivemind doctor --no-start`. */
export interface DoctorView {
  checks: {
    name: string
    level: "ok" | "warning" | "trouble" | "skipped"
    found: string[]
    mend: string | null
  }[]
}

/** `POST /api/commands` takes `{command}` (see schemas/queued-command.ts); `GET /api/command?id=` has its outcome. */
export interface CommandView {
  id: string
  state: "waiting" | "done" | "refused"
  /** Why it was refused or waits, or a note about an applied one. */
  what: string | null
  why: string | null
  use_instead: string | null
}

/**
 * `GET /api/events`: server-sent events. `change` when a view may have changed; `queue` with the CommandView of a
 * command that was applied or refused.
 */

/** Every answer that is not 200. */
export interface ErrorView {
  code: string
  what: string
  why: string
  use_instead: string
}
