import type { Kind, NewRecordOf } from "../../schemas/records.ts"

export type NewRecord = { [K in Kind]: { kind: K; record: NewRecordOf<K> } }[Kind]

/** A record of another tool's file, and what becomes of it. Readers return parents first and never throw. */
export type SourceRecord = {
  from: string
} & (
  | {
      /** The new records, written in one transaction. There may be several, such as a task and its notes. */
      records: readonly NewRecord[]
      note?: string | undefined
    }
  | { setting: { name: string; value: unknown } }
  | {
      /** Why the record cannot be used. `original` is copied to the quarantine file; undefined if the file cannot be read. */
      quarantine: string
      original: unknown
    }
  | { ignore: string }
)

export type Unusable = Extract<SourceRecord, { quarantine: string }>

/** Counts source records by their outcome. `total` is always the sum of the other counts. */
export interface Report {
  files: string[]
  sources: { total: number; taken: number; already: number; quarantined: number; ignored: number }
  taken: Partial<Record<Kind | "setting", number>>
  /** Only the first 100. `sources.quarantined` counts all, and `graph/quarantine.jsonl` has all originals. */
  quarantined: { from: string; reason: string }[]
  ignored: { reason: string; count: number; example: string }[]
  notes: { note: string; count: number; example: string }[]
}

export function openReport() {
  const sources = { total: 0, taken: 0, already: 0, quarantined: 0, ignored: 0 }
  const taken: Report["taken"] = {}
  const quarantined: Report["quarantined"] = []
  const ignored = groupCounter()
  const notes = groupCounter()

  return {
    found: () => sources.total++,
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
