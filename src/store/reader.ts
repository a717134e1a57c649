import { existsSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { guardChains } from "../graph/chain.ts"
import { quarantined } from "../graph/problem.ts"
import { recordsOf } from "../graph/state.ts"
import { upgradeState } from "../graph/upgrade-state.ts"
import { type SnapshotFile, snapshotFiles, snapshotNames } from "../schemas/records.ts"
import { systemCode } from "../shared/system-error.ts"
import type { Archive } from "./archive.ts"
import { foldedEntries, replay } from "./history.ts"
import type { HivePaths } from "./layout.ts"
import { FORMAT, readFormat } from "./manifest.ts"
import { listSegments } from "./segments.ts"
import { NO_WATERMARK, parseSnapshot, type Snapshot, type Watermark } from "./snapshot.ts"
import { type Cursor, emptyView, followJournal, NO_FILE, readSegment, type View } from "./view.ts"

/** Reads the files of a hive: everything once, then only what is new. Never locks. */
export function openReader(paths: HivePaths, archive: Archive) {
  const cache = new Map<SnapshotFile, { signature: string; snapshot: Snapshot }>()
  let current: (Cursor & { base: string }) | undefined

  /** The newest state. Where only the journal has grown, only its new bytes are read. */
  function refresh(): View {
    if (current !== undefined && signatureOf(paths) === current.base) {
      const grown = followJournal(current, paths)
      if (grown !== "replaced") return current.view
    }
    // A fold may run while we read; what was read before it and after it do not fit together, so read again.
    for (let attempt = 0; ; attempt++) {
      const base = signatureOf(paths)
      const cursor = load()
      followJournal(cursor, paths)
      if (signatureOf(paths) !== base && attempt < MAX_ATTEMPTS) continue
      if (readFormat(paths).format < FORMAT) cursor.view.upgrades = upgradeState(cursor.view.state)
      guard(cursor.view)
      cursor.view.isLoaded = true
      current = { ...cursor, base }
      return cursor.view
    }
  }

  /** The newest state, everything read anew. */
  function reload(): View {
    current = undefined
    return refresh()
  }

  /** The state at the end of the sealed segments, without what came after: what a fold may write down. */
  function readSealed(): View {
    return load().view
  }

  function load(): Cursor {
    const view = emptyView()
    for (const file of snapshotNames) {
      const { signature, snapshot } = readSnapshot(file)
      view.snapshots.set(file, snapshot)
      view.signatures.set(file, signature)
    }
    const watermarks = new Map<SnapshotFile, Watermark>()
    for (const [file, snapshot] of view.snapshots) {
      watermarks.set(file, snapshot.watermark)
      view.problems.push(...snapshot.problems)
      for (const { kind, record } of snapshot.records) recordsOf(view.state, kind).set(record.id, record)
    }
    const folds = [...watermarks].filter(([file]) => file !== COUNTERS || watermarks.get(file)?.head !== null)
    const newest = folds
      .map(([, mark]) => mark)
      .reduce((a, b) => (b.segment > a.segment ? b : a), NO_WATERMARK)
    view.head = newest.head
    const cursor: Cursor = { view, followed: new Set() }
    for (const segment of listSegments(paths)) readSegment(cursor, segment, watermarks, newest)
    return cursor
  }

  function readSnapshot(file: SnapshotFile): { signature: string; snapshot: Snapshot } {
    const path = join(paths.root, file)
    const signature = fileSignature(path)
    const cached = cache.get(file)
    if (cached?.signature === signature) return cached
    const read = { signature, snapshot: snapshotAt(file, path) }
    // A missing file is not remembered: whether it should be there depends on the others. Nor are counters that had to
    // be taken from the log, which grows.
    if (signature !== NO_FILE && file !== COUNTERS) cache.set(file, read)
    return read
  }

  /** A file that is damaged, badly edited or gone: what can be read of it, over the last good state that the log knows. */
  function snapshotAt(file: SnapshotFile, path: string): Snapshot {
    const snapshot = parsedFile(file, path)
    // Other entries may be applied twice without harm, but a counter would count twice: without a watermark of its own
    // the file is worth nothing, and the log has the sums.
    if (file === COUNTERS && snapshot.watermark.segment === 0) return countersFromLog(snapshot)
    if (snapshot.problems.length === 0) return snapshot
    const lastGood = replay(foldedEntries(paths, snapshot.watermark))
    const byId = new Map<string, Snapshot["records"][number]>()
    for (const kind of Object.values(snapshotFiles[file])) {
      for (const record of recordsOf(lastGood, kind).values()) byId.set(record.id, { kind, record })
    }
    for (const each of snapshot.records) byId.set(each.record.id, each)
    return { ...snapshot, records: [...byId.values()] }
  }

  function countersFromLog(snapshot: Snapshot): Snapshot {
    // Up to what is there now, and no further: a slow writer may still add to a segment, and that must count too.
    const older = listSegments(paths).map(
      ({ number, path }) => [number, statSync(path, { throwIfNoEntry: false })?.size ?? 0] as const,
    )
    const [segment, bytes] = older.pop() ?? [0, 0]
    if (segment === 0 && !existsSync(paths.history)) return snapshot
    const watermark = { segment, bytes, head: null, older }
    const { metrics } = replay(foldedEntries(paths, watermark))
    const records = Array.from(metrics.values(), (record) => ({ kind: "metrics" as const, record }))
    return { ...snapshot, watermark, records, untouched: false }
  }

  function parsedFile(file: SnapshotFile, path: string): Snapshot {
    try {
      return parseSnapshot(file, readFileSync(path, "utf8"))
    } catch (error) {
      const isGone = systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR"
      // The first fold writes every snapshot. Until it is done, and its segment on the way to the history, the journal
      // still has everything. A fresh clone has no metrics: they are kept out of git.
      const isBeforeFirst = !existsSync(paths.history)
      if (isGone && (isBeforeFirst || file === COUNTERS)) return NOTHING_YET
      const problem = isGone
        ? quarantined("missing_file", file, "the file is gone; its last good state is in use")
        : quarantined("unreadable", file, `the file cannot be read (${systemCode(error)})`)
      return { ...NOTHING_YET, untouched: false, problems: [problem] }
    }
  }

  function guard(view: View): void {
    const raws = view.problems.map((problem) => `${problem.id ?? ""} ${problem.raw ?? ""}`).join("\n")
    const { repairs, problems } = guardChains(view.state, archive.has, (id) => raws.includes(id))
    view.repairs = repairs
    view.isGuarded = problems.length > 0
    view.problems.push(...problems)
  }

  return { refresh, reload, readSealed }
}

/** Changes whenever anything but the open journal changes. */
function signatureOf(paths: HivePaths): string {
  const files = snapshotNames.map((file) => fileSignature(join(paths.root, file)))
  const segments = listSegments(paths).map(({ path }) => `${path}:${fileSignature(path)}`)
  return [...files, ...segments].join("|")
}

export function fileSignature(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat === undefined ? NO_FILE : `${stat.ino}:${stat.size}:${stat.mtimeMs}:${stat.ctimeMs}`
}

const NOTHING_YET: Snapshot = {
  format: FORMAT,
  watermark: NO_WATERMARK,
  untouched: true,
  records: [],
  problems: [],
  length: 0,
}
const COUNTERS: SnapshotFile = "state/brain.json"
const MAX_ATTEMPTS = 20
