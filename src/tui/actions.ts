import type { Hive } from "../hive/hive.ts"
import { drain, enqueue, outcomeOf } from "../queue/queue.ts"
import type { QueuedCommand } from "../schemas/queued-command.ts"
import { counted } from "../shared/amounts.ts"
import { toRefusal } from "../shared/error.ts"
import { shorten } from "../shared/text/clean.ts"
import { hiveSnapshots } from "../snapshots/hive-snapshots.ts"
import { canRestore, restorePreview, snapshotChanges, snapshotRows } from "../views/lists/snapshots.ts"
import { describeEntries } from "../views/log/log-entries.ts"
import { driftReport } from "../watch/drift-report.ts"
import { planRestore } from "../work/restore/restore.ts"
import type { PanelHost } from "./port.ts"
import { ago, type Subject } from "./text/lines.ts"

/** The key that changes a record, and its action. */
interface Action {
  key: string
  title: string
}

export function actionFor(subject: Subject | undefined): Action | undefined {
  if (subject === undefined) return undefined
  if (subject.kind === "task") return { key: "b", title: subject.isHeld ? "unblock" : "block" }
  return ACTIONS[subject.kind]
}

const ACTIONS = {
  mem: { key: "f", title: "flag as wrong" },
  decision: { key: "d", title: "decide" },
  conflict: { key: "s", title: "settle" },
}
export const ACTION_KEYS = ["f", "d", "s", "b"] as const

/** Asks the person for missing values, then sends the command. A closed dialog sends nothing. */
export async function act(hive: Hive, host: PanelHost, subject: Subject): Promise<void> {
  const command = await commandFor(host, subject)
  if (command !== undefined) await send(hive, host, command)
}

async function commandFor(host: PanelHost, subject: Subject): Promise<QueuedCommand | undefined> {
  const { id } = subject
  switch (subject.kind) {
    case "mem": {
      const reason = await askWords(host, "Flag this mem as wrong", subject.content, "why it is wrong")
      return reason === undefined ? undefined : { do: "flag_mem", mem: id, reason }
    }
    case "decision": {
      const content = await askWords(host, "Decide", subject.content, "the decision")
      return content === undefined ? undefined : { do: "resolve_decision", decision: id, content }
    }
    case "task": {
      if (subject.isHeld) return { do: "unblock_task", task: id }
      const reason = await askWords(host, "Block this task", subject.title, "the reason")
      return reason === undefined ? undefined : { do: "block_task", task: id, reason }
    }
    case "conflict": {
      const take = await host.choose("Which value to keep?", [
        { title: `Current value: ${shorten(subject.stands, MAX_TITLE)}`, value: "kept" as const },
        { title: `Other value: ${shorten(subject.lost, MAX_TITLE)}`, value: "lost" as const },
      ])
      return take && { do: "settle_conflict", conflict: id, take }
    }
  }
}

export async function acknowledge(hive: Hive, host: PanelHost): Promise<void> {
  const session = host.session()
  const warnings = session === null ? [] : driftReport(hive, session).warnings
  if (session === null || warnings.length === 0) return host.toast("There are no warnings.", "success")
  const options = warnings.map(({ signal, text }) => ({ title: shorten(text, MAX_TITLE), value: signal }))
  const signal = await host.choose("Acknowledge a warning", options)
  if (signal !== undefined) await send(hive, host, { do: "acknowledge_warning", session, signal })
}

/** Offers the newest changes first. */
export async function undo(hive: Hive, host: PanelHost): Promise<void> {
  const entries = await hive.store.log({ limit: MAX_OFFERED })
  const options = describeEntries(entries, new Set(entries), hive.store.read().state)
    .filter(({ undoneBy, changes }) => undoneBy === null && changes.length > 0)
    .toReversed()
    .map(({ entry, changes }) => ({ title: titleAt(hive, entry.at, changes), value: entry.id }))
  if (options.length === 0) return host.toast("There is nothing to take back.", "success")
  const entry = await host.choose("Take back which change?", options)
  if (entry !== undefined) await send(hive, host, { do: "undo", entry })
}

/** Offers the newest snapshots first, and shows a preview before anything is written. */
export async function restore(hive: Hive, host: PanelHost): Promise<void> {
  const snapshots = hiveSnapshots(hive)
  const { state } = hive.store.read()
  const rows = snapshotRows(snapshots, state, { atMost: MAX_OFFERED, isWanted: canRestore })
  if (rows.length === 0) return host.toast("There is no snapshot to restore.", "success")
  const options = rows.map((row) => ({ title: titleAt(hive, row.at, snapshotChanges(row)), value: row.id }))
  const snapshot = await host.choose("Undo the changes of which call?", options)
  if (snapshot === undefined) return
  const plan = await planRestore(snapshots, snapshot, {}).catch((error: unknown) => {
    const { what, why } = toRefusal(error)
    host.toast(`${what} ${why}`, "warning")
  })
  if (plan === undefined) return
  const { write, conflicts } = restorePreview(plan, snapshots)
  if (write.length + conflicts.length === 0)
    return host.toast("Nothing to restore: the files are as they were.", "success")
  const changed = conflicts.map(({ path }) => path)
  const offers = [
    { files: write, title: `Write ${counted(write.length, "file")}`, value: false },
    { files: changed, title: `Overwrite ${counted(changed.length, "file")} changed since, too`, value: true },
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

function titleAt(hive: Hive, at: string, changes: readonly string[]): string {
  return shorten(`${ago(at, hive.source.now())}: ${changes.join("; ")}`, MAX_TITLE)
}

/** Undefined if nothing was typed (a toast says so) or the dialog was closed. */
async function askWords(
  host: PanelHost,
  action: string,
  about: string,
  placeholder: string,
): Promise<string | undefined> {
  const given = (await host.askText(`${action}: ${shorten(about, MAX_TITLE)}`, placeholder))?.trim()
  if (given === "") host.toast(`Nothing was changed: enter ${placeholder}.`, "warning")
  return given || undefined
}

/** Sends a command through the queue, applies it if no other process does, and shows its outcome. */
async function send(hive: Hive, host: PanelHost, command: QueuedCommand): Promise<void> {
  const id = await enqueue(hive, "panel", command)
  await drain(hive)
  const outcome = outcomeOf(hive, id)
  if (outcome === undefined || outcome === "waiting")
    return host.toast("Asked for; it is applied soon.", "success")
  if (outcome.ok) host.toast(outcome.note ?? "Done.", "success")
  else host.toast(`${outcome.what} ${outcome.why}`, "warning")
}

const MAX_TITLE = 60
const MAX_OFFERED = 30
