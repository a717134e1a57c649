import type { NewRecordOf } from "../../schemas/records.ts"
import { derivedId } from "../../shared/ids.ts"
import { noteOf, objectFrom, textFrom } from "../records/fields.ts"
import { jsonItems } from "../records/json-items.ts"
import type { SourceRecord } from "../records/report.ts"

export interface LegacyFile {
  path: string
  name: string
  /** Time of the last change, used for records without a time. */
  at: string
  /** True if the file is not renamed to `.bak`: a document, or a file outside of `.hivemind/`. */
  stays: boolean
  /** True for the `.bak` of a migrated file, which is read because other files refer to its records. */
  isCopy?: boolean
  /** True if the file cannot be read. The next run tries again. */
  isUnreadable?: boolean
  /** Decides when the file is read: an index in STEPS. */
  step: number
  read: LegacyReader
}

export type LegacyReader = (file: LegacyFile, context: Context) => AsyncIterable<SourceRecord>

/** The order in which files are read. Files that others refer to come first; of two copies of a record, the fuller one. */
export const STEPS = [
  ...(["graph", "tree", "sessions", "state", "todos", "anchors"] as const),
  ...(["mems", "orphans", "settings", "documents"] as const),
] as const

/** True for files with mems, settings or documents, which may be large. They are read last. */
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

/** The records read so far. Later files refer to them, or have copies of them that must not become new records. */
export function openContext(home: string) {
  return {
    home,
    plans: new Map<string, string>(),
    phases: new Map<string, Place>(),
    tasks: new Map<string, Place & { id: string; isActive?: boolean }>(),
    /** Ids of plans, phases and tasks by their title, because some files refer to them only by title. */
    titles: new Map<string, string>(),
    anchors: new Map<string, string>(),
    ranks: new Map<string, number>(),
    heads: [] as LegacyHead[],
    session: null as { id: string; file: string; at: string } | null,
    activeStamp: null as string | null,
    /** Values of the read-head in the graph of layout G3. `salt` makes ids unique to this repository. */
    graph: { salt: "", activePlan: null as string | null, intent: null as string | null },
  }
}

export type Context = ReturnType<typeof openContext>

/** Derives the new id of an old record, so that every run makes the same. Old ids can repeat, so callers also pass the text. */
export function legacyId(kind: string, ...words: string[]): string {
  return derivedId("older layout", kind, ...words)
}

/** The salt for the ids that layout G3 used in every repository; "" for other ids. */
export function saltFor({ graph }: Context, old: string): string {
  return FIXED_ID.test(old) ? graph.salt : ""
}

/** Returns a rank that keeps tasks in the order of their file. */
export function nextRank({ ranks }: Context, plan: string, created: string): number {
  const rank = Math.max(Date.parse(created), (ranks.get(plan) ?? 0) + 1)
  ranks.set(plan, rank)
  return rank
}

/** Stores the id of a plan, phase or task under its title: once for all plans, and once for its own plan. */
export function rememberTitle({ titles }: Context, level: Level, title: string, id: string, plan = ""): void {
  for (const key of new Set([titleKey(level, title), titleKey(level, title, plan)])) titles.set(key, id)
}

export type Level = "plan" | "phase" | "task"

export function titleKey(level: Level, title: string, plan = ""): string {
  return `${level} ${plan} ${title.trim().toLowerCase().replaceAll(/\s+/g, " ")}`
}

/** Makes a reader for a file with one list. Some files have an object in its place, whose values are read. */
export function listReader(
  list: string,
  read: (row: Row, file: LegacyFile, context: Context) => SourceRecord,
  header?: (key: string, value: unknown, file: LegacyFile) => void,
): LegacyReader {
  return async function* (file, context) {
    for await (const item of jsonItems(file)) {
      if ("quarantine" in item) {
        yield item
        continue
      }
      const { from, key, index, value } = item
      const named = key === list ? objectFrom(value) : undefined
      if (index !== null && (key === list || key === ""))
        yield read({ from, value, name: null }, file, context)
      else if (named !== undefined)
        for (const [name, each] of Object.entries(named))
          yield read({ from: `${from}.${name}`, value: each, name }, file, context)
      else if (key === list && value !== null) yield { from, quarantine: "not a list", original: value }
      else if (HEADER.has(key)) header?.(key, value, file)
      else yield { from, ignore: "a field that HiveMind does not need" }
    }
  }
}

export interface Row {
  from: string
  value: unknown
  name: string | null
}

const HEADER: ReadonlySet<string> = new Set([
  ...["version", "generated_at", "active_stamp", "session_id", "updated_at", "structure_format"],
  ...["lastSynthesisAt", "exportCount", "lastSaved"],
])
const FIXED_ID = /^00000000-0000-4000-8000-00000000000[0-9]$/

/** A row of STATUSES: words of older tools, and the status that they mean for a task, a plan and a phase. */
const statusRow = (
  words: string,
  task: NewRecordOf<"task">["status"],
  plan: NewRecordOf<"plan">["status"],
  phase: NewRecordOf<"phase">["status"],
  isBlocked = false,
) => ({ words: words.split(" "), task, plan, phase, isBlocked })
const PLANNED = statusRow(
  "planned pending todo new draft not_started ready backlog",
  ...(["planned", "draft", "planned"] as const),
)
const STATUSES = [
  PLANNED,
  statusRow("active in_progress running open started", "active", "active", "active"),
  statusRow("review", "review", "active", "active"),
  statusRow("complete completed done validated closed", "completed", "completed", "completed"),
  statusRow("blocked stalled deferred paused", "planned", "active", "active", true),
  statusRow("failed error", "failed", "abandoned", "completed"),
  statusRow("cancelled canceled invalidated abandoned superseded", "invalidated", "abandoned", "completed"),
  statusRow("archived", "completed", "archived", "completed"),
]

/** Converts an older tool's status. `note` says that the status is unknown or has no exact equivalent. */
export function readStatus<L extends Level>(level: L, word: unknown) {
  const key = (textFrom(word) ?? "").toLowerCase().replaceAll(/[\s-]+/g, "_")
  const known = STATUSES.find(({ words }) => words.includes(key))
  const { [level]: status, isBlocked } = known ?? PLANNED
  const isUnknown = known === undefined && key !== ""
  return {
    status,
    // Old files do not say what blocks a task, so it waits for a person.
    held_back: isBlocked ? "The task was blocked before the migration." : null,
    note: noteOf(
      isUnknown && `the status "${key.slice(0, 40)}" is unknown and counts as planned`,
      level === "plan" &&
        isBlocked &&
        "a blocked plan counts as active: its tasks show which work is blocked",
    ),
  }
}
