import type { Kind } from "../schemas/records.ts"

/** What became of every source record. `total` is always the sum of the others. */
export interface Report {
  /** The files that were read, for people. */
  files: string[]
  sources: { total: number; taken: number; already: number; quarantined: number; ignored: number }
  /** Records of ours that were made, by kind; `setting` counts options of the configuration. */
  taken: Partial<Record<Kind | "setting", number>>
  /** The first of them; `sources.quarantined` counts all, and `graph/quarantine.jsonl` keeps the originals. */
  quarantined: { from: string; reason: string }[]
  ignored: { reason: string; count: number; example: string }[]
  /** What was changed to make a record fit. */
  notes: { note: string; count: number; example: string }[]
}

/** A report to which what becomes of each source record is added. */
export function openReport() {
  const sources = { total: 0, taken: 0, already: 0, quarantined: 0, ignored: 0 }
  const taken: Report["taken"] = {}
  const quarantined: Report["quarantined"] = []
  const ignored = new Map<string, { count: number; example: string }>()
  const notes = new Map<string, { count: number; example: string }>()
  const add = (groups: typeof ignored, name: string, example: string) => {
    const known = groups.get(name)
    if (known === undefined) groups.set(name, { count: 1, example })
    else known.count++
  }

  return {
    found(): void {
      sources.total++
    },
    taken(records: readonly (Kind | "setting")[], from: string, note?: string): void {
      sources.taken++
      for (const kind of records) taken[kind] = (taken[kind] ?? 0) + 1
      if (note !== undefined) add(notes, note, from)
    },
    already(note?: string, from = ""): void {
      sources.already++
      if (note !== undefined) add(notes, note, from)
    },
    quarantined(from: string, reason: string): void {
      sources.quarantined++
      if (quarantined.length < MAX_LISTED) quarantined.push({ from, reason })
    },
    ignored(from: string, reason: string): void {
      sources.ignored++
      add(ignored, reason, from)
    },
    close(files: readonly string[]): Report {
      const { total, ...parts } = sources
      const sum = Object.values(parts).reduce((all, each) => all + each, 0)
      if (sum !== total) throw new Error(`${total} source records were read, and ${sum} were counted`)
      return {
        files: [...files],
        sources,
        taken,
        quarantined,
        ignored: listed(ignored).map(({ name, ...rest }) => ({ reason: name, ...rest })),
        notes: listed(notes).map(({ name, ...rest }) => ({ note: name, ...rest })),
      }
    },
  }
}

function listed(groups: ReadonlyMap<string, { count: number; example: string }>) {
  return [...groups].map(([name, { count, example }]) => ({ name, count, example }))
}

const MAX_LISTED = 100
