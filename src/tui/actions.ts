import type { Hive } from "../hive/hive.ts"
import type { QueuedCommand } from "../schemas/queued-command.ts"
import { counted } from "../shared/amounts.ts"
import { toRefusal } from "../shared/error.ts"
import { shorten } from "../shared/text/clean.ts"
import { hiveSnapshots } from "../snapshots/hive-snapshots.ts"
import { describeEntries } from "../views/log/log-entries.ts"
import {
  canRestore,
  type RestorePreview,
  restorePreview,
  snapshotChanges,
  snapshotRows,
} from "../views/look/snapshots.ts"
import { driftReport } from "../watch/drift-report.ts"
import { planRestore } from "../work/restore/restore.ts"
import { askFor } from "./ask-for.ts"
import type { PanelHost } from "./port.ts"
import { ago, type Subject } from "./text/row.ts"

/** What a key does with what is chosen, and what it says of it. */
interface Action {
  key: string
  title: string
}

/** One for each thing that a person can change here. */
export function actionFor(subject: Subject | undefined): Action | undefined {
  switch (subject?.kind) {
    case "mem":
      return { key: "f", title: "flag as wrong" }
    case "decision":
      return { key: "d", title: "decide" }
    case "conflict":
      return { key: "s", title: "settle" }
    case "task":
      return { key: "b", title: subject.isHeld ? "unblock" : "block" }
    default:
      return undefined
  }
}

export const ACTION_KEYS = ["f", "d", "s", "b"] as const

/** Asks the person for what is missing, then for the change through the queue. Nothing is asked for where they close it. */
export async function act(hive: Hive, host: PanelHost, subject: Subject): Promise<void> {
  const command = await commandFor(host, subject)
  if (command !== undefined) await tell(hive, host, command)
}

async function commandFor(host: PanelHost, subject: Subject): Promise<QueuedCommand | undefined> {
  const { id } = subject
  switch (subject.kind) {
    case "mem": {
      const reason = await words(
        host,
        `Flag this mem as wrong: ${shorten(subject.content, MAX_TITLE)}`,
        "why it is wrong",
      )
      return reason === undefined ? undefined : { do: "flag_mem", mem: id, reason }
    }
    case "decision": {
      const content = await words(host, `Decide: ${shorten(subject.content, MAX_TITLE)}`, "what was decided")
      return content === undefined ? undefined : { do: "resolve_decision", decision: id, content }
    }
    case "task": {
      if (subject.isHeld) return { do: "unblock_task", task: id }
      const reason = await words(
        host,
        `Block this task: ${shorten(subject.title, MAX_TITLE)}`,
        "what it waits for",
      )
      return reason === undefined ? undefined : { do: "block_task", task: id, reason }
    }
    case "conflict": {
      const take = await host.choose("Which one holds?", [
        { title: `What stands: ${shorten(subject.stands, MAX_TITLE)}`, value: "kept" as const },
        { title: `What lost: ${shorten(subject.lost, MAX_TITLE)}`, value: "lost" as const },
      ])
      return take === undefined ? undefined : { do: "settle_conflict", conflict: id, take }
    }
  }
}

export async function acknowledge(hive: Hive, host: PanelHost): Promise<void> {
  const session = host.session()
  const warnings = session === null ? [] : driftReport(hive, session).warnings
  if (session === null || warnings.length === 0) return host.toast("No warning is standing.", "success")
  const options = warnings.map(({ signal, text }) => ({ title: shorten(text, MAX_TITLE), value: signal }))
  const signal = await host.choose("Acknowledge a warning", options)
  if (signal !== undefined) await tell(hive, host, { do: "acknowledge_warning", session, signal })
}

/** The newest first. */
export async function undo(hive: Hive, host: PanelHost): Promise<void> {
  const entries = await hive.store.log({ limit: MAX_UNDO })
  const { state } = hive.store.read()
  const options = describeEntries(entries, new Set(entries), state)
    .filter(({ undoneBy, changes }) => undoneBy === null && changes.length > 0)
    .toReversed()
    .map(({ entry, changes }) => ({
      title: shorten(`${ago(entry.at, hive.source.now())}: ${changes.join("; ")}`, MAX_TITLE),
      value: entry.id,
    }))
  if (options.length === 0) return host.toast("There is nothing to take back.", "success")
  const entry = await host.choose("Take back which change?", options)
  if (entry !== undefined) await tell(hive, host, { do: "undo", entry })
}

/** The newest first. What would be written is shown before anything is. */
export async function restore(hive: Hive, host: PanelHost): Promise<void> {
  const snapshots = hiveSnapshots(hive)
  const rows = snapshotRows(snapshots, hive.store.read().state, { atMost: MAX_UNDO, isWanted: canRestore })
  if (rows.length === 0) return host.toast("There is no snapshot to restore.", "success")
  const options = rows.map((row) => ({
    title: shorten(`${ago(row.at, hive.source.now())}: ${snapshotChanges(row).join("; ")}`, MAX_TITLE),
    value: row.id,
  }))
  const snapshot = await host.choose("Restore what which call has changed?", options)
  if (snapshot === undefined) return
  let plan: RestorePreview
  try {
    plan = restorePreview(await planRestore(snapshots, snapshot, {}), snapshots)
  } catch (error) {
    const { what, why } = toRefusal(error)
    return host.toast(`${what} ${why}`, "warning")
  }
  const [write, kept] = [plan.write.length, plan.conflicts.length]
  if (write + kept === 0) return host.toast("Nothing to restore: the files are as they were.", "success")
  const names = (paths: readonly string[]) => shorten(paths.join(", "), MAX_TITLE)
  const force = await host.choose(`Restore ${snapshot}?`, [
    ...(write > 0 ? [{ title: `Write ${counted(write, "file")}: ${names(plan.write)}`, value: false }] : []),
    ...(kept > 0
      ? [
          {
            title: `Overwrite ${counted(kept, "file")} changed since, too: ${names(plan.conflicts.map(({ path }) => path))}`,
            value: true,
          },
        ]
      : []),
  ])
  if (force !== undefined) await tell(hive, host, { do: "restore", snapshot, ...(force && { force }) })
}

/** Undefined where there are none; that is told, unless the person has closed it. */
async function words(host: PanelHost, title: string, placeholder: string): Promise<string | undefined> {
  const given = (await host.askText(title, placeholder))?.trim()
  if (given === "") host.toast(`Nothing was changed: it has to say ${placeholder}.`, "warning")
  return given === "" ? undefined : given
}

async function tell(hive: Hive, host: PanelHost, command: QueuedCommand): Promise<void> {
  const { done, text } = await askFor(hive, command)
  host.toast(text, done ? "success" : "warning")
}

const MAX_TITLE = 60
const MAX_UNDO = 30
