import type { Anchor } from "../../schemas/knowledge.ts"
import type { Phase, Plan } from "../../schemas/plan.ts"
import type { Task } from "../../schemas/task.ts"
import { derivedId } from "../../shared/ids.ts"

/** The id of what had `words` for an id in an older layout: the same in every run, and for every copy of it. */
export function olderId(kind: string, ...words: string[]): string {
  return derivedId("older layout", kind, ...words)
}

/** A read-head of an older layout: a candidate for the project's own. */
export interface OldHead {
  from: string
  at: string
  plan: string | null
  phase: string | null
  tasks: string[]
  intent: string | null
}

interface Place {
  plan: string
  phase: string
}

/** What is in the graph before the files are read, by ids of ours. */
export interface InGraph {
  plan: (id: string) => Plan | undefined
  phase: (id: string) => Phase | undefined
  task: (id: string) => Task | undefined
  /** By its id, else the one that a person has given the same key. */
  anchor: (id: string, key: string) => Anchor | undefined
  /** Plans, phases and tasks that an earlier migration has made. */
  made: Iterable<{ kind: "plan" | "phase" | "task"; id: string; plan: string; title: string }>
}

/**
 * What the files read so far have told, so that those that come later build on it instead of making it again. Files of
 * newer layouts come first: they know more.
 */
export function openKnown(home: string, inGraph: InGraph) {
  const titles = new Map<string, string>()
  for (const { kind, id, plan, title } of inGraph.made) {
    titles.set(wordsKey(kind, title), id)
    titles.set(wordsKey(kind, title, plan), id)
  }
  return {
    home,
    inGraph,
    /** The words of what has been found, by ids of ours. */
    words: new Map<string, string>(),
    /** Ids of ours by the old ones. */
    plans: new Map<string, string>(),
    phases: new Map<string, Place>(),
    tasks: new Map<string, Place & { id: string; isActive?: boolean }>(),
    /** Plans, phases and tasks by their words, as flat texts name them. */
    titles,
    /** Tasks of a mirror of the host's list that became others later. */
    lineage: new Map<string, string>(),
    anchors: new Map<string, string>(),
    /** The last place of a task, by plan. */
    ranks: new Map<string, number>(),
    heads: [] as OldHead[],
    /** What the newest state file says of its session. */
    session: null as { id: string; file: string; at: string } | null,
    activeStamp: null as string | null,
    /** Of the graph's read-head: what its plan is where no file has one, and what tells this graph from others. */
    graph: { salt: "", activePlan: null as string | null, intent: null as string | null },
  }
}

/** An earlier migration gave the same three ids to everybody: what else is known of the graph makes them different. */
export function idOf({ graph }: Known, kind: "plan" | "phase" | "task", old: string): string {
  return FIXED_ID.test(old) ? olderId(kind, old, graph.salt) : olderId(kind, old)
}

/** The task that an old file calls so: of those read so far, else of what was taken over before. */
export function findTask(known: Known, old: string | undefined): (Place & { id: string }) | undefined {
  if (old === undefined) return undefined
  const before = known.inGraph.task(idOf(known, "task", old))
  const place = before && { id: before.id, plan: before.parent_plan_id, phase: before.parent_phase_id }
  return known.tasks.get(old) ?? place
}

/** The same of a plan: its id. */
export function findPlan(known: Known, old: string | undefined): string | undefined {
  if (old === undefined) return undefined
  return known.plans.get(old) ?? known.inGraph.plan(idOf(known, "plan", old))?.id
}

/** Older tools gave one id twice, such as one made of the minute: two of one id, with other words, are two. */
export function idByWords({ words, inGraph }: Known, id: string, text: string): string {
  const before = words.get(id)
  const other = olderId("other words", id, text)
  // In a file that is written again they may be in another order.
  const isOther = inGraph.plan(other) ?? inGraph.phase(other) ?? inGraph.task(other)
  if (isOther !== undefined || (before !== undefined && before !== text)) return other
  words.set(id, text)
  return id
}

/** Tasks stay in the order of their file, whatever times they have. */
export function nextRank({ ranks }: Known, plan: string, created: string): number {
  const rank = Math.max(Date.parse(created), (ranks.get(plan) ?? 0) + 1)
  ranks.set(plan, rank)
  return rank
}

export type Known = ReturnType<typeof openKnown>

/** Words as they are compared, in any case, with any blanks: of all plans, or of what one plan has. */
export function wordsKey(level: "plan" | "phase" | "task", text: string, plan = ""): string {
  return `${level} ${plan} ${text.trim().toLowerCase().replaceAll(/\s+/g, " ")}`
}

const FIXED_ID = /^00000000-0000-4000-8000-00000000000[0-9]$/
