import type { Mem } from "../../schemas/knowledge.ts"
import type { Page } from "../../views/lists/page.ts"
import type { PlanRow } from "../../views/lists/plans.ts"
import type { RefusalRow } from "../../views/lists/refusals.ts"
import type { StepKind } from "../../views/log/narrative.ts"
import type { contextAnswer } from "./context.ts"
import type { healthAnswer } from "./health.ts"
import type { memAnswer } from "./memory.ts"
import type { nowAnswer } from "./now.ts"
import type { planAnswer, taskAnswer } from "./plans.ts"
import type { restoreAnswer } from "./timeline.ts"

// The types of the server's answers; `routes.ts` has their addresses. Only types: the page's bundle gets no code from here.

export type { FixedCost } from "../../views/context/injected.ts"
export type { DriftBegan, Replay, Turn } from "../../views/context/turns.ts"
export type { SessionRow } from "../../views/lists/sessions.ts"
export type { TaskRow } from "../../views/lists/tasks.ts"
export type { Page, PlanRow, RefusalRow }

type Answer<F extends (...args: never[]) => unknown> = Awaited<ReturnType<F>>

export interface NowView extends Answer<typeof nowAnswer> {
  /** The notice that no coding agent loads HiveMind in this folder; absent if this could not be checked. */
  inactive?: string | null
  /** The offer to import past sessions of agents; absent if the server did not search for them. */
  past_sessions?: string | null
}
export type Thread = NowView["threads"][number]
export type OpenSession = NowView["sessions"][number]
export type PlansView = Page<PlanRow>
export type PlanView = Answer<typeof planAnswer>
export type TaskView = Answer<typeof taskAnswer>
export type MemView = Answer<typeof memAnswer>
export type ContextView = Answer<typeof contextAnswer>
export type HealthView = Answer<typeof healthAnswer>
export type ConflictRow = HealthView["conflicts"][number]

export interface MemoryView extends Page<MemoryItem> {
  shelves: string[]
}

export interface MemoryItem {
  id: string
  short: string
  kind: Mem["kind"] | "failed task"
  content: string
  /** Why recall found the item; null in a list without search words. */
  why: string | null
  at: string | null
  isArchived: boolean
  status: Mem["status"] | null
  /** Null for a failed task. */
  shelf: string | null
  isOpen: boolean
  tags: string[]
}

export type TimelineView = Page<TimelineItem>

export interface TimelineItem {
  id: string
  short: string
  at: string
  kind: StepKind | "refusal" | "warning" | "snapshot"
  text: string
  tool: string
  session: string | null
  agent: string | null
  changes: string[]
  undoneBy: string | null
  undoes: string | null
  /** The clone that wrote the entry; null if it was this one. */
  from: string | null
  refusal: RefusalRow | null
}

/** The preview of a restore. Long lists are cut; `total` has their full lengths. */
export type RestoreView = Answer<typeof restoreAnswer>

/** The checks of `hivemind doctor --no-start`. */
export interface DoctorView {
  checks: {
    name: string
    level: "ok" | "warning" | "trouble" | "skipped"
    found: string[]
    mend: string | null
  }[]
}

export interface CommandView {
  id: string
  state: "waiting" | "done" | "refused"
  /** Why the command was refused or waits, or a note about an applied command. */
  what: string | null
  why: string | null
  use_instead: string | null
}

export type ErrorView = Record<"code" | "what" | "why" | "use_instead", string>
