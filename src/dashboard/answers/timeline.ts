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
  snapshotCall,
  snapshotChanges,
  snapshotRows,
} from "../../views/lists/snapshots.ts"
import { type DescribedEntry, describeEntries } from "../../views/log/log-entries.ts"
import { type Step, storySteps } from "../../views/log/narrative.ts"
import { planRestore } from "../../work/restore/restore.ts"
import type { TimelineItem, TimelineView } from "./model.ts"

type Wanted = Record<"session" | "record" | "find" | "kind", string> & { page: number }

/** The timeline, newest first: log entries, refusals, acknowledged warnings and snapshots. */
export async function timelineAnswer(hive: Hive, wanted: Wanted): Promise<TimelineView> {
  const { state } = hive.store.read()
  // The URL may name a session by its stamp (start time), which two clones may share. Entries have the host's id instead.
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
    ...refusalsOf(hive, {}).map((row) => ({ ...itemOf("refusal", row, row.what, [row.what]), refusal: row })),
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
  // Only the entries of this page are described, because describing a large entry is slow.
  const shown = pageOf([...entries, ...outsideLog].sort(newestFirst), paging)
  const onPage = new Set(shown.items)
  const items = [
    ...described(new Set(entries.filter((entry) => onPage.has(entry)))),
    ...outsideLog.filter((item) => onPage.has(item)),
  ]
  return { ...shown, items: items.sort(newestFirst) }
}

const newestFirst = (a: { at: string }, b: { at: string }): number => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0)

function entryItem({ entry, changes, ...described }: DescribedEntry, step: Step | undefined): TimelineItem {
  const { id, at, by } = entry
  const { short, undoneBy, undoes, from } = described
  return {
    ...{ kind: step?.kind ?? "small", text: step?.text ?? "", id, short, at, ...by },
    ...{ changes: changes.slice(0, MAX_CHANGES), undoneBy, undoes, from, refusal: null },
  }
}

type Row = Pick<TimelineItem, "id" | "short" | "at" | "tool" | "session" | "agent">

function itemOf(kind: TimelineItem["kind"], row: Row, text: string, changes: string[]): TimelineItem {
  const { id, short, at, tool, session, agent } = row
  const step = { kind, id, short, at, tool, session, agent, text, changes }
  return { ...step, undoneBy: null, undoes: null, from: null, refusal: null }
}

const acknowledgement = z.object({
  do: z.literal("acknowledge_warning"),
  session: z.string(),
  signal: z.string(),
})

/** Warnings that a person acknowledged. They are read from the queue, because acknowledging writes nothing to the log. */
function acknowledgedWarnings(hive: Hive): TimelineItem[] {
  return listQueue(hive, { state: "done" }, { limit: MAX_FINISHED, page: 1 }).items.flatMap((row) => {
    const given = tryParse(acknowledgement, row.command).data
    if (given === undefined) return []
    const text = `Acknowledged the warning “${given.signal.replaceAll("_", " ")}”`
    const at = row.finished_at ?? row.at
    return itemOf("warning", { ...row, at, tool: "queue", session: given.session, agent: row.from }, text, [
      text,
    ])
  })
}

/** Snapshots that can be restored. Snapshots of file edits are optional: the timeline shows those edits as checkpoints. */
function snapshotItems(hive: Hive, { includeEdits }: { includeEdits: boolean }): TimelineItem[] {
  const rows = snapshotRows(hiveSnapshots(hive), hive.store.read().state, {
    atMost: MAX_SNAPSHOTS,
    isWanted: (record) =>
      canRestore(record) &&
      (includeEdits || record.command !== null || record.counts.deleted + record.counts.refs > 0),
  })
  return rows.map((row) => {
    const what = snapshotChanges(row).join("; ")
    const text = `${what.charAt(0).toUpperCase()}${what.slice(1)} (${shorten(snapshotCall(row), MAX_CALL)})`
    const changes = [
      ...(row.command === null ? [] : [row.command]),
      ...snapshotChanges(row, MAX_CHANGED_NAMES),
    ]
    return itemOf("snapshot", { ...row, short: row.id, agent: null }, text, changes)
  })
}

export async function restoreAnswer(hive: Hive, id: string) {
  const snapshots = hiveSnapshots(hive)
  const preview = restorePreview(await planRestore(snapshots, id, { refs: true }), snapshots)
  const { write, conflicts, created, refs } = preview
  const some = <T>(all: T[]) => all.slice(0, MAX_NAMES)
  return {
    ...preview,
    ...{ write: some(write), conflicts: some(conflicts), created: some(created), refs: some(refs) },
    total: { write: write.length, conflicts: conflicts.length, created: created.length },
  }
}

const PAGE = 100
// Older entries are shown only if the timeline is filtered by session or record.
const MAX_ENTRIES = 1000
const MAX_CHANGES = 30
const MAX_FINISHED = 300
const MAX_SNAPSHOTS = 300
const MAX_NAMES = 50
const MAX_CHANGED_NAMES = 20
const MAX_CALL = 80
