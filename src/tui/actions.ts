import { openDecisions } from "../dashboard/answers/plans.ts"
import { describeConflict, openConflicts } from "../graph/open-conflicts.ts"
import type { Hive } from "../hive/hive.ts"
import { drain, enqueue, outcomeOf } from "../queue/queue.ts"
import type { QueuedCommand } from "../schemas/queued-command.ts"
import { counted } from "../shared/amounts.ts"
import { toRefusal } from "../shared/error.ts"
import { shorten } from "../shared/text/clean.ts"
import { hiveSnapshots } from "../snapshots/hive-snapshots.ts"
import { listMemRows } from "../views/lists/mems.ts"
import {
  canRestore,
  restorePreview,
  snapshotChanges,
  snapshotRows,
  timeAgo,
} from "../views/lists/snapshots.ts"
import { listTasks } from "../views/lists/tasks.ts"
import { describeEntries } from "../views/log/log-entries.ts"
import { driftReport } from "../watch/drift-report.ts"
import { planRestore } from "../work/restore/restore.ts"
import type { PanelHost } from "./port.ts"

type Run = (hive: Hive, host: PanelHost) => Promise<void>

/** The commands in the palette, shown as "HiveMind: <title>". If the user closes a dialog, nothing is changed. */
export const actions: readonly { name: string; title: string; run: Run }[] = [
  { name: "decide", title: "resolve an open decision", run: decide },
  { name: "settle", title: "settle a sync conflict", run: settle },
  { name: "flag", title: "flag a mem as wrong", run: flag },
  { name: "block", title: "block or unblock a task", run: block },
  { name: "acknowledge", title: "acknowledge a warning", run: acknowledge },
  { name: "undo", title: "undo a change", run: undo },
  { name: "restore", title: "restore files from a snapshot", run: restore },
]

async function decide(hive: Hive, host: PanelHost): Promise<void> {
  const options = openDecisions(hive.store.read().state).map((each) => option(each.content, each))
  const chosen = await chooseOne(host, "Which decision?", options, "No decision is open.")
  if (chosen === undefined) return
  const content = await askWords(host, "Decide", chosen.content, "the decision")
  if (content !== undefined) await send(hive, host, { do: "resolve_decision", decision: chosen.id, content })
}

async function settle(hive: Hive, host: PanelHost): Promise<void> {
  const { state } = hive.store.read()
  const options = openConflicts(state).map((each) => {
    const { record, stands, lost } = describeConflict(each, state)
    return option(record, { id: each.id, stands, lost })
  })
  const chosen = await chooseOne(host, "Which conflict?", options, "There are no conflicts.")
  if (chosen === undefined) return
  const take = await host.choose("Which value to keep?", [
    option(`Current value: ${chosen.stands}`, "kept" as const),
    option(`Other value: ${chosen.lost}`, "lost" as const),
  ])
  if (take !== undefined) await send(hive, host, { do: "settle_conflict", conflict: chosen.id, take })
}

async function flag(hive: Hive, host: PanelHost): Promise<void> {
  const { items } = listMemRows(hive, {}, { limit: MAX_OFFERED, page: 1 })
  const options = items.map((mem) => option(mem.content, mem))
  const mem = await chooseOne(host, "Which mem is wrong?", options, "There are no mems yet.")
  if (mem === undefined) return
  const reason = await askWords(host, "Flag as wrong", mem.content, "why it is wrong")
  if (reason !== undefined) await send(hive, host, { do: "flag_mem", mem: mem.id, reason })
}

async function block(hive: Hive, host: PanelHost): Promise<void> {
  const { items } = listTasks(hive, { status: "open" }, { limit: MAX_OFFERED, page: 1 })
  const { state } = hive.store.read()
  const options = items.map(({ id, title }) => {
    const isHeld = (state.task.get(id)?.held_back ?? null) !== null
    return option(`${isHeld ? "Unblock" : "Block"}: ${title}`, { id, title, isHeld })
  })
  const task = await chooseOne(host, "Which task?", options, "No task is open.")
  if (task === undefined) return
  if (task.isHeld) return send(hive, host, { do: "unblock_task", task: task.id })
  const reason = await askWords(host, "Block", task.title, "the reason")
  if (reason !== undefined) await send(hive, host, { do: "block_task", task: task.id, reason })
}

async function acknowledge(hive: Hive, host: PanelHost): Promise<void> {
  const session = host.session()
  const warnings = session === null ? [] : driftReport(hive, session).warnings
  const options = warnings.map(({ signal, text }) => option(text, signal))
  const signal = await chooseOne(host, "Which warning?", options, "There are no warnings.")
  if (session !== null && signal !== undefined)
    await send(hive, host, { do: "acknowledge_warning", session, signal })
}

async function undo(hive: Hive, host: PanelHost): Promise<void> {
  const entries = await hive.store.log({ limit: MAX_OFFERED })
  const options = describeEntries(entries, new Set(entries), hive.store.read().state)
    .filter(({ undoneBy, changes }) => undoneBy === null && changes.length > 0)
    .toReversed()
    .map(({ entry, changes }) => optionAt(hive, entry.at, changes, entry.id))
  const entry = await chooseOne(host, "Undo which change?", options, "There is nothing to undo.")
  if (entry !== undefined) await send(hive, host, { do: "undo", entry })
}

/** Offers snapshots, newest first, and shows a preview before it writes files. */
async function restore(hive: Hive, host: PanelHost): Promise<void> {
  const snapshots = hiveSnapshots(hive)
  const { state } = hive.store.read()
  const rows = snapshotRows(snapshots, state, { atMost: MAX_OFFERED, isWanted: canRestore })
  const options = rows.map((row) => optionAt(hive, row.at, snapshotChanges(row), row.id))
  const none = "There is no snapshot to restore."
  const snapshot = await chooseOne(host, "Undo the changes of which call?", options, none)
  if (snapshot === undefined) return
  const plan = await planRestore(snapshots, snapshot, {}).catch((error: unknown) => {
    const { what, why } = toRefusal(error)
    host.toast(`${what} ${why}`, "warning")
  })
  if (plan === undefined) return
  const { write, conflicts } = restorePreview(plan, snapshots)
  if (write.length + conflicts.length === 0)
    return host.toast("Nothing to restore: the files are already as they were before the call.", "success")
  const changed = conflicts.map(({ path }) => path)
  const offers = [
    { files: write, title: `Write ${counted(write.length, "file")}`, value: false },
    { files: changed, title: `Also overwrite ${counted(changed.length, "file")} changed since`, value: true },
  ]
  const force = await host.choose(
    `Restore ${snapshot}?`,
    offers
      .filter(({ files }) => files.length > 0)
      .map(({ files, title, value }) => ({
        title: `${title}: ${shorten(files.join(", "), MAX_TITLE)}`,
        value,
      })),
  )
  if (force !== undefined) await send(hive, host, { do: "restore", snapshot, ...(force && { force }) })
}

interface Option<T> {
  title: string
  value: T
}

const option = <T>(title: string, value: T): Option<T> => ({ title: shorten(title, MAX_TITLE), value })

function optionAt(hive: Hive, at: string, changes: readonly string[], id: string): Option<string> {
  return option(`${timeAgo(at, hive.source.now())}: ${changes.join("; ")}`, id)
}

/** Lets the user choose. Returns undefined if the dialog was closed. If there are no options, a toast shows `none`. */
async function chooseOne<T>(host: PanelHost, title: string, options: readonly Option<T>[], none: string) {
  if (options.length > 0) return host.choose(title, options)
  host.toast(none, "success")
  return undefined
}

/** Asks for a text. Undefined if the dialog was closed, or if the user typed nothing, which a toast says. */
async function askWords(host: PanelHost, action: string, about: string, placeholder: string) {
  const given = (await host.askText(`${action}: ${shorten(about, MAX_TITLE)}`, placeholder))?.trim()
  if (given === "") host.toast(`Nothing was changed: enter ${placeholder}.`, "warning")
  return given || undefined
}

/** Puts a command into the queue, applies the queue unless another process does so first, and shows the outcome. */
async function send(hive: Hive, host: PanelHost, command: QueuedCommand): Promise<void> {
  const id = await enqueue(hive, "panel", command)
  await drain(hive)
  const outcome = outcomeOf(hive, id)
  if (outcome === undefined || outcome === "waiting")
    return host.toast("The change waits in the queue and is applied soon.", "success")
  if (outcome.ok) host.toast(outcome.note ?? "Done.", "success")
  else host.toast(`${outcome.what} ${outcome.why}`, "warning")
}

const MAX_TITLE = 60
const MAX_OFFERED = 30
