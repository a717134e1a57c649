import * as z from "zod"
import type { Hive } from "../../hive/hive.ts"
import { tryParse } from "../../schemas/checked.ts"
import type { Entry } from "../../schemas/entry.ts"
import { recordIdOf } from "../../schemas/op.ts"
import { shorten } from "../../shared/text/clean.ts"
import { hiveSnapshots } from "../../snapshots/hive-snapshots.ts"
import { hasWords, pageOf } from "../../views/lists/page.ts"
import { listQueue } from "../../views/lists/queue.ts"
import { refusalsOf } from "../../views/lists/refusals.ts"
import {
  canRestore,
  restorePreview,
  type SnapshotRow,
  snapshotCall,
  snapshotChanges,
  snapshotRows,
} from "../../views/lists/snapshots.ts"
import { type DescribedEntry, describeEntries } from "../../views/log/log-entries.ts"
import { type Step, storySteps } from "../../views/log/narrative.ts"
import { planRestore } from "../../work/restore/restore.ts"
import type { RestoreView, TimelineItem, TimelineView } from "./model.ts"

interface Wanted {
  session: string
  record: string
  find: string
  kind: string
  page: number
}

/** The story, the newest first: log entries, refusals, acknowledged warnings and snapshots. */
export async function timelineAnswer(hive: Hive, wanted: Wanted): Promise<TimelineView> {
  const { state } = hive.store.read()
  // People know a session by its stamp, entries by the host's id. Two clones may have given the same stamp.
  const stamped = [...state.session.values()].filter(({ stamp }) => stamp === wanted.session)
  const hosts = stamped.length > 0 ? stamped.map(({ host_id }) => host_id) : [wanted.session]
  const isOf = (session: string | null) => wanted.session === "" || hosts.includes(session ?? "")
  const naming = wanted.record || (hosts.length === 1 ? (hosts[0] ?? "") : "")
  const all = await hive.store.log({ limit: MAX_ENTRIES, ...(naming !== "" && { naming }) })
  const steps = storySteps(all, state)
  const isKind = (kind: TimelineItem["kind"]) =>
    wanted.kind === "all" ||
    (wanted.kind === "" ? kind !== "small" || wanted.record !== "" : kind === wanted.kind)
  const entries = all.filter(
    (entry) =>
      isOf(entry.by.session) &&
      isKind(steps.get(entry)?.kind ?? "small") &&
      (wanted.record === "" || entry.ops.some((op) => "kind" in op && recordIdOf(op) === wanted.record)),
  )
  const outsideLog = [
    ...refusedCalls(hive),
    ...acknowledgedWarnings(hive),
    ...snapshotItems(hive, { includeEdits: wanted.kind !== "" }),
  ].filter(({ session, kind }) => wanted.record === "" && isKind(kind) && isOf(session))
  const paging = { limit: PAGE, page: wanted.page }
  const described = (chosen: Set<Entry>) =>
    describeEntries(all, chosen, state).map((each) => entryItem(each, steps.get(each.entry)))
  if (wanted.find !== "") {
    const found = [...described(new Set(entries)), ...outsideLog].filter(({ text, tool, changes, agent }) =>
      hasWords(wanted.find, text, tool, agent, ...changes),
    )
    return pageOf(found.sort(newestFirst), paging)
  }
  // Only the entries of this page are described: one can have changed very much.
  const shown = pageOf([...entries, ...outsideLog].sort(newestFirst), paging)
  const onPage = new Set(shown.items)
  const items = [
    ...described(new Set(entries.filter((entry) => onPage.has(entry)))),
    ...outsideLog.filter((item) => onPage.has(item)),
  ]
  return { ...shown, items: items.sort(newestFirst) }
}

function newestFirst(a: { at: string }, b: { at: string }): number {
  return a.at < b.at ? 1 : a.at > b.at ? -1 : 0
}

function entryItem({ entry, changes, ...described }: DescribedEntry, step: Step | undefined): TimelineItem {
  const { id, at, by } = entry
  const { short, undoneBy, undoes, from } = described
  return {
    ...{ kind: step?.kind ?? "small", text: step?.text ?? "", id, short, at, ...by },
    ...{ changes: changes.slice(0, MAX_CHANGES), undoneBy, undoes, from, refusal: null },
  }
}

const NO_ENTRY = { undoneBy: null, undoes: null, from: null, refusal: null }

function refusedCalls(hive: Hive): TimelineItem[] {
  return refusalsOf(hive, {}).map((refusal) => {
    const { what: text, id, short, at, tool, session, agent } = refusal
    return {
      ...NO_ENTRY,
      kind: "refusal",
      id,
      short,
      at,
      tool,
      session,
      agent,
      text,
      changes: [text],
      refusal,
    }
  })
}

const acknowledgement = z.object({
  do: z.literal("acknowledge_warning"),
  session: z.string(),
  signal: z.string(),
})

/** A person acknowledged a warning. That changes counters, which have no entry in the log; the queue knows of it. */
function acknowledgedWarnings(hive: Hive): TimelineItem[] {
  return listQueue(hive, { state: "done" }, { limit: MAX_FINISHED, page: 1 }).items.flatMap((row) => {
    const given = tryParse(acknowledgement, row.command).data
    if (given === undefined) return []
    const text = `Acknowledged the warning “${given.signal.replaceAll("_", " ")}”`
    return {
      ...{
        ...NO_ENTRY,
        kind: "warning" as const,
        id: row.id,
        short: row.short,
        at: row.finished_at ?? row.at,
      },
      ...{ tool: "queue", session: given.session, agent: row.from, text, changes: [text] },
    }
  })
}

/** Calls that can be restored. The story has commands and deletions; an edit is there as a checkpoint already. */
function snapshotItems(hive: Hive, { includeEdits }: { includeEdits: boolean }): TimelineItem[] {
  const rows = snapshotRows(hiveSnapshots(hive), hive.store.read().state, {
    atMost: MAX_SNAPSHOTS,
    isWanted: (record) =>
      canRestore(record) &&
      (includeEdits || record.command !== null || record.counts.deleted + record.counts.refs > 0),
  })
  return rows.map(snapshotItem)
}

function snapshotItem(row: SnapshotRow): TimelineItem {
  const { id, at, tool, session, command } = row
  const what = snapshotChanges(row).join("; ")
  const changes = snapshotChanges(row, MAX_CHANGED_NAMES)
  return {
    ...{ ...NO_ENTRY, kind: "snapshot", id, short: id, at, tool, session, agent: null },
    text: `${what.charAt(0).toUpperCase()}${what.slice(1)} (${shorten(snapshotCall(row), MAX_CALL)})`,
    changes: command === null ? changes : [command, ...changes],
  }
}

/** The preview of a restore, with everything that the form offers. */
export async function restoreAnswer(hive: Hive, id: string): Promise<RestoreView> {
  const snapshots = hiveSnapshots(hive)
  const preview = restorePreview(await planRestore(snapshots, id, { refs: true }), snapshots)
  const { write, conflicts, created, refs } = preview
  return {
    ...preview,
    write: write.slice(0, MAX_NAMES),
    conflicts: conflicts.slice(0, MAX_NAMES),
    created: created.slice(0, MAX_NAMES),
    refs: refs.slice(0, MAX_NAMES),
    total: { write: write.length, conflicts: conflicts.length, created: created.length },
  }
}

const PAGE = 100
// Older entries are found by session or record.
const MAX_ENTRIES = 1000
const MAX_CHANGES = 30
const MAX_FINISHED = 300
const MAX_SNAPSHOTS = 300
const MAX_NAMES = 50
const MAX_CHANGED_NAMES = 20
const MAX_CALL = 80
