import type { Kind, NewRecordOf } from "../../schemas/records.ts"

/** A record for the graph, made of something in a file of another tool. */
export type NewRecord = { [K in Kind]: { kind: K; record: NewRecordOf<K> } }[Kind]

/**
 * One record of another tool's file, and what to do with it. Readers yield exactly one of these for every source record, so
 * that the report counts all of them. They yield parents before children, never write, and never throw because of content.
 */
export type SourceRecord = {
  /** The file and the place in it, for people. */
  from: string
} & (
  | {
      /** One source record may become several, such as a task with its notes. They are written in one transaction. */
      records: readonly NewRecord[]
      /** The change that made it fit, for people. */
      note?: string | undefined
    }
  | { setting: { name: string; value: unknown } }
  | {
      /** Why it cannot be used. The original goes into the quarantine file; undefined where the file is unreadable. */
      quarantine: string
      original: unknown
    }
  | {
      /** Why it is left out. */
      ignore: string
    }
)

/** The outcome of every source record. `total` is always the sum of the other counts. */
export interface Report {
  files: string[]
  sources: { total: number; taken: number; already: number; quarantined: number; ignored: number }
  /** Records that were written, by kind; `setting` counts options of the configuration. */
  taken: Partial<Record<Kind | "setting", number>>
  /** The first 100; `sources.quarantined` counts all, and `graph/quarantine.jsonl` keeps the originals. */
  quarantined: { from: string; reason: string }[]
  ignored: { reason: string; count: number; example: string }[]
  /** Changes that made records fit. */
  notes: { note: string; count: number; example: string }[]
}

/** Counts what becomes of each source record. */
export function openReport() {
  const sources = { total: 0, taken: 0, already: 0, quarantined: 0, ignored: 0 }
  const taken: Report["taken"] = {}
  const quarantined: Report["quarantined"] = []
  const ignored = groupCounter()
  const notes = groupCounter()

  return {
    found(): void {
      sources.total++
    },
    taken(kinds: readonly (Kind | "setting")[], from: string, note?: string): void {
      sources.taken++
      for (const kind of kinds) taken[kind] = (taken[kind] ?? 0) + 1
      notes.add(note, from)
    },
    already(from: string, note?: string): void {
      sources.already++
      notes.add(note, from)
    },
    quarantined(from: string, reason: string): void {
      sources.quarantined++
      if (quarantined.length < MAX_LISTED) quarantined.push({ from, reason })
    },
    ignored(from: string, reason: string): void {
      sources.ignored++
      ignored.add(reason, from)
    },
    close(files: readonly string[]): Report {
      const { total, ...parts } = sources
      const sum = Object.values(parts).reduce((all, each) => all + each, 0)
      if (sum !== total) throw new Error(`${total} source records were read, and ${sum} were counted`)
      return {
        ...{ files: [...files], sources, taken, quarantined },
        ignored: ignored.all().map(([reason, group]) => ({ reason, ...group })),
        notes: notes.all().map(([note, group]) => ({ note, ...group })),
      }
    },
  }
}

/** Counts equal texts, each with its first example. */
function groupCounter() {
  const groups = new Map<string, { count: number; example: string }>()
  return {
    add(text: string | undefined, example: string): void {
      if (text === undefined) return
      const { count, example: first } = groups.get(text) ?? { count: 0, example }
      groups.set(text, { count: count + 1, example: first })
    },
    all: () => [...groups],
  }
}

const MAX_LISTED = 100
