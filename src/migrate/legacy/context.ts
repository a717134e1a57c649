import type { NewRecordOf } from "../../schemas/records.ts"
import { derivedId } from "../../shared/ids.ts"
import { objectFrom } from "../records/fields.ts"
import { jsonItems } from "../records/json-items.ts"
import type { SourceRecord } from "../records/report.ts"

/** A file that an older tool of this family has left. */
export interface LegacyFile {
  path: string
  /** Relative to the project, for people. */
  name: string
  /** When it was last written: the time of records that have none. */
  at: string
  /** It is not renamed to `.bak`: a document, or a file outside of `.hivemind/`. */
  stays: boolean
  /** A `.bak` of a migrated file. It is read because other files refer to it. */
  isCopy?: boolean
  /** It cannot be read: the next run tries again. */
  isUnreadable?: boolean
  /** When it is its turn, as an index of STEPS. */
  step: number
  read: LegacyReader
}

export type LegacyReader = (file: LegacyFile, context: Context) => AsyncIterable<SourceRecord>

/** The order in which files are read: those that others refer to first, and of two copies of a record the fuller one. */
export const STEPS = [
  ...(["graph", "tree", "sessions", "state", "todos", "anchors"] as const),
  ...(["mems", "orphans", "settings", "documents"] as const),
] as const

/** Plans, tasks, anchors and sessions are small. These may be many, and are read last. */
export function isMemFile({ step }: Pick<LegacyFile, "step">): boolean {
  return step >= STEPS.indexOf("mems")
}

export interface LegacyHead {
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

/** Knowledge from the files read so far. Later files refer to it instead of making the same record again. */
export function openContext(home: string) {
  return {
    home,
    plans: new Map<string, string>(),
    phases: new Map<string, Place>(),
    tasks: new Map<string, Place & { id: string; isActive?: boolean }>(),
    /** Ids of plans, phases and tasks by their title, as flat texts name them. */
    titles: new Map<string, string>(),
    anchors: new Map<string, string>(),
    /** The rank of the last task, by plan. */
    ranks: new Map<string, number>(),
    heads: [] as LegacyHead[],
    /** The session of the newest state file. */
    session: null as { id: string; file: string; at: string } | null,
    activeStamp: null as string | null,
    /** Of the read-head of G3's graph. `salt` tells this repository from others. */
    graph: { salt: "", activePlan: null as string | null, intent: null as string | null },
  }
}

export type Context = ReturnType<typeof openContext>

/** The id of an old record: the same in every run and for every copy. Old ids can repeat, so the words are a part of it. */
export function legacyId(kind: string, ...words: string[]): string {
  return derivedId("older layout", kind, ...words)
}

/** A migration inside G3 gave the same three ids to every repository: the salt makes them different. */
export function saltFor({ graph }: Context, old: string): string {
  return FIXED_ID.test(old) ? graph.salt : ""
}

/** Tasks stay in the order of their file. */
export function nextRank({ ranks }: Context, plan: string, created: string): number {
  const rank = Math.max(Date.parse(created), (ranks.get(plan) ?? 0) + 1)
  ranks.set(plan, rank)
  return rank
}

/** Remembers a plan, phase or task by its title: of all plans, and of its own plan. */
export function rememberTitle({ titles }: Context, level: Level, title: string, id: string, plan = ""): void {
  for (const key of new Set([titleKey(level, title), titleKey(level, title, plan)])) titles.set(key, id)
}

export type Level = "plan" | "phase" | "task"

export function titleKey(level: Level, title: string, plan = ""): string {
  return `${level} ${plan} ${title.trim().toLowerCase().replaceAll(/\s+/g, " ")}`
}

/** The name of a place in a file, for people. */
export function placeIn({ name }: LegacyFile, key: string, index: number | null = null): string {
  return index === null ? `${name} ${key}`.trim() : `${name} ${key}[${index}]`
}

/** Reads a file that holds one list: its elements, or the values of an object by name. */
export function listReader(
  list: string,
  read: (row: Row, file: LegacyFile, context: Context) => SourceRecord,
  header?: (key: string, value: unknown, file: LegacyFile) => void,
): LegacyReader {
  return async function* (file, context) {
    for await (const item of jsonItems(file.path)) {
      const from = placeIn(file, item.key, item.index)
      if ("fault" in item) yield { from, quarantine: item.fault, original: item.text }
      else if (item.index !== null && (item.key === list || item.key === ""))
        yield read({ from, value: item.value, name: null }, file, context)
      else if (item.key === list && objectFrom(item.value) !== undefined)
        for (const [name, value] of Object.entries(objectFrom(item.value) ?? {}))
          yield read({ from: `${from}.${name}`, value, name }, file, context)
      else if (item.key === list && item.value !== null)
        yield { from, quarantine: "not a list", original: item.value }
      else if (HEADER.has(item.key)) header?.(item.key, item.value, file)
      else yield { from, ignore: "not a part of the list" }
    }
  }
}

export interface Row {
  from: string
  value: unknown
  /** Where the list is an object. */
  name: string | null
}

/** The record of a row without its place in the file. */
export type Fields = Record<string, unknown>
export type Made = Pick<NewRecordOf<"mem">, "created_at" | "updated_at" | "stamp">

const HEADER: ReadonlySet<string> = new Set([
  ...["version", "generated_at", "active_stamp", "session_id", "updated_at", "structure_format"],
  ...["lastSynthesisAt", "exportCount", "lastSaved"],
])
const FIXED_ID = /^00000000-0000-4000-8000-00000000000[0-9]$/

interface Statuses {
  task: NewRecordOf<"task">["status"]
  plan: NewRecordOf<"plan">["status"]
  phase: NewRecordOf<"phase">["status"]
  isBlocked?: boolean
}

/** The status words of older tools, and the statuses that they become. */
const STATUSES: readonly (Statuses & { words: string })[] = [
  {
    words: "planned pending todo new draft not_started ready backlog",
    ...{ task: "planned", plan: "draft", phase: "planned" },
  },
  { words: "active in_progress running open started", task: "active", plan: "active", phase: "active" },
  { words: "review", task: "review", plan: "active", phase: "active" },
  {
    words: "complete completed done validated closed",
    ...{ task: "completed", plan: "completed", phase: "completed" },
  },
  {
    words: "blocked stalled deferred paused",
    ...{ task: "planned", plan: "active", phase: "active", isBlocked: true },
  },
  { words: "failed error", task: "failed", plan: "abandoned", phase: "completed" },
  {
    words: "cancelled canceled invalidated abandoned superseded",
    ...{ task: "invalidated", plan: "abandoned", phase: "completed" },
  },
  { words: "archived", task: "completed", plan: "archived", phase: "completed" },
]

/** A blocked task is held back: it needs something that blocks it, and old files do not name it. */
export function taskStatus(word: unknown): Pick<NewRecordOf<"task">, "status" | "held_back"> {
  const { task: status, isBlocked } = statusesOf(word) ?? PLANNED
  return { status, held_back: isBlocked ? "It was blocked before it was migrated." : null }
}

export function planStatus(word: unknown): NewRecordOf<"plan">["status"] {
  return (statusesOf(word) ?? PLANNED).plan
}

export function phaseStatus(word: unknown): NewRecordOf<"phase">["status"] {
  return (statusesOf(word) ?? PLANNED).phase
}

/** For the report: a status that is not known, or that the record cannot have. */
export function statusNote(level: Level, word: unknown): string | undefined {
  const statuses = statusesOf(word)
  const key = keyOf(word)
  if (key !== "" && statuses === undefined)
    return `the status "${key.slice(0, 40)}" is not known and counts as planned`
  if (level === "plan" && statuses?.isBlocked)
    return "a blocked plan counts as active: its tasks show which work is blocked"
  return undefined
}

function statusesOf(word: unknown): Statuses | undefined {
  const key = keyOf(word)
  return STATUSES.find(({ words }) => words.split(" ").includes(key))
}

function keyOf(word: unknown): string {
  return typeof word === "string"
    ? word
        .trim()
        .toLowerCase()
        .replaceAll(/[\s-]+/g, "_")
    : ""
}

const PLANNED: Statuses = { task: "planned", plan: "draft", phase: "planned" }
