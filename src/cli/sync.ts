import {
  type ConflictWords,
  describeConflict,
  isOpenConflict,
  openConflicts,
} from "../graph/open-conflicts.ts"
import type { GraphState } from "../graph/state.ts"
import { locateHive } from "../hive/locate.ts"
import type { Conflict } from "../schemas/conflict.ts"
import type { Entry } from "../schemas/entry.ts"
import { counted } from "../shared/amounts.ts"
import { HiveError } from "../shared/error.ts"
import { shortId } from "../shared/ids.ts"
import { localTime } from "../shared/time.ts"
import { hasHive } from "../store/files/layout.ts"
import { requireRepository } from "../sync/ref.ts"
import { chooseRemote, MAX_SILENCE_MS, requireRemote } from "../sync/remote.ts"
import { restoredStateText, restoreHive } from "../sync/restore.ts"
import { previewSync, type SyncPreview } from "../sync/state.ts"
import { type SyncInput, type SyncReport, syncHive } from "../sync/sync.ts"
import { describeEntries } from "../views/log/log-entries.ts"
import { settleConflict } from "../work/conflict/settle.ts"
import { openPlainHive, requireHive, withHive } from "./project/open-project.ts"
import { type CliCommand, type CliInput, type CliResult, type Line, textLines } from "./terminal/command.ts"
import type { CliIo } from "./terminal/io.ts"
import { choiceOption, numberOption } from "./terminal/options.ts"
import { ask } from "./terminal/person.ts"
import { progressLine } from "./terminal/progress.ts"
import type { Style } from "./terminal/style.ts"

interface SyncOptions {
  remote?: string
  dryRun?: boolean
  yes?: boolean
  restore?: boolean
  push: boolean
  wait: number
}

export const command: CliCommand<SyncOptions> = {
  configure(syncing) {
    const range = { min: 0.1, max: 3600, fallback: MAX_SILENCE_MS / 1000, isDecimal: true }
    syncing
      .option("--remote <name>", "a remote of git (default: that of the branch, else origin)")
      .option("--dry-run", "only show the entries to send and receive")
      .option("-y, --yes", "send the log to a remote for the first time without a question")
      .option("--no-push", "receive only, send nothing")
      .addOption(numberOption("--wait <seconds>", "how long to wait for an answer from the remote", range))
      .option("--restore", "bring a deleted .hivemind/ back from the backup and the shared log")
  },

  help: "Example: hivemind sync --dry-run",

  async run(input) {
    const { options, io, style } = input
    const place = locateHive(input.dir)
    requireRepository(place.dir)
    if (options.restore !== true) await requireHive(input.dir)
    const { dir } = place
    const wanted = options.remote
    const remote = wanted === undefined ? await chooseRemote(dir) : await requireRemote(dir, wanted)
    const progress = syncProgress(io)
    const how = { remote: remote ?? null, maxSilenceMs: options.wait * 1000, ...progress.listeners }
    if (options.restore === true) return restore(input, how).finally(progress.clear)
    return withHive(input, async ({ hive: { store, dir } }) => {
      const target = { store, dir, ...how }
      if (options.dryRun === true) {
        const found = await previewSync({ ...target, push: options.push }).finally(progress.clear)
        return { data: { dry_run: true, ...found }, text: previewLines(found, store.read().state, style) }
      }
      const mayBegin = async (entries: number) => {
        // Without a terminal there is no question: the log is not sent, and the output mentions `--yes`.
        if (options.yes === true || io.stdin.isTTY !== true) return options.yes === true
        progress.clear()
        // A person has to decide: from then on, all users with access to the remote can read the log.
        const question = `Send the log (${entriesText(entries)}) to ${remote} for the first time? All users with access to ${remote} can read it.`
        return ask(question, "sync", io)
      }
      const report = await syncHive({ ...target, push: options.push, mayBegin }).finally(progress.clear)
      const { state } = store.read()
      const text = syncLines(report, state, style)
      return { data: reportData(report, state), text, trouble: report.push === "kept" }
    })
  },
}

async function restore(
  { dir, io, style }: CliInput<SyncOptions>,
  how: Omit<SyncInput, "store" | "dir" | "push" | "mayBegin">,
): Promise<CliResult> {
  const place = locateHive(dir)
  const isNew = !hasHive(place.home)
  const { hive } = await openPlainHive(place, io)
  try {
    const { store } = hive
    const report = await restoreHive({ store, dir: hive.dir, home: hive.home, ...how })
    const { unreachable } = report
    // The restore brought back the entries of damaged lines. A fold clears the problems reported for those lines.
    if (report.brought > 0 && store.health().problems.length > 0) await store.fold()
    const also = restoredStateText(report)
    const { state } = store.read()
    return {
      data: {
        ...{ project: place.home, restored: report.brought > 0 || also !== "", ...reportData(report, state) },
        ...{ config: report.config, heads: report.heads, unreachable },
      },
      text: [
        report.brought === 0 && also === ""
          ? `The graph in ${place.home} already has everything.`
          : `Restored ${isNew ? ".hivemind/" : "the graph"} in ${place.home}.`,
        unreachable && `The remote could not be read. ${unreachable}`,
        ...(report.brought === 0 ? [] : syncLines(report, state, style)),
        also !== "" && `Also from the backup: ${also}.`,
      ],
    }
  } finally {
    await hive.store.close()
  }
}

/** Shows the progress of a sync. Notes stay on a line of their own: git may ask for a password on the next line. */
function syncProgress(io: CliIo) {
  const line = progressLine(io)
  const onNote = (note: string) => {
    line.clear()
    if (io.stderr.isTTY === true) io.stderr.write(`${note}\n`)
  }
  const onProgress = (done: number) => line.show(`Receiving ${entriesText(done)}`)
  return { clear: line.clear, listeners: { onNote, onTransfer: line.show, onProgress } }
}

export function syncLines(report: SyncReport, state: GraphState, style: Style): string[] {
  const { saved, brought, from, unreadable, junk, conflicts, rebuilt, remote } = report
  const open = conflicts.filter((each) => isOpenConflict(each, state)).length
  const noted = conflicts.filter(({ status }) => status === "noted").length
  const lines = textLines([
    ...rebuilt.map((ref) => style("yellow", `Git could not read ${ref}: it was rebuilt from the log.`)),
    ...sentLines(report, style),
    remote === null && saved > 0 && `${entriesText(saved)} saved in the repository's log.`,
    brought > 0 && `${entriesText(brought)} came from ${counted(from.length, "clone")}.`,
    open > 0 && style("yellow", `${counted(open, "conflict")}: settle with \`hivemind sync conflicts\`.`),
    noted > 0 &&
      style("dim", `${noted} settled automatically; \`hivemind sync conflicts --all\` shows them.`),
    ...unusedLines({ unreadable, junk }, style),
  ])
  return lines.length === 0 ? ["There are no new entries."] : lines
}

function sentLines({ remote, push, sent, brought, saved }: SyncReport, style: Style): string[] {
  switch (push) {
    case "pushed":
      return [`${entriesText(sent)} sent to ${remote}.`]
    case "nothing":
      return brought + saved === 0 ? [`Nothing new here or at ${remote}.`] : []
    case "kept":
      return [
        style("yellow", `Nothing was sent: ${remote} has no log yet, and the first push needs your consent.`),
        "`hivemind sync --yes` sends it. Everything else is done.",
      ]
    case "none":
      return remote === null ? ["No remote: the log is kept in this repository only."] : []
  }
}

function unusedLines({ unreadable, junk }: { unreadable: number; junk: number }, style: Style): Line[] {
  const newer = `${counted(unreadable, "line")} of a newer HiveMind cannot be read. They are kept: update hivemind-opencode to read them.`
  const strange = `Skipped ${counted(junk, "line")} in the log of other clones: damaged, or not written by HiveMind.`
  return [unreadable > 0 && style("yellow", newer), junk > 0 && style("yellow", strange)]
}

function reportData(report: SyncReport, state: GraphState) {
  const { remote, push, saved, sent, brought, from, unreadable, junk, conflicts, rebuilt } = report
  const pick = ({ id, rule, kind, record_id, status }: Conflict) => ({ id, rule, kind, record_id, status })
  const open = conflicts.filter((each) => isOpenConflict(each, state)).map(pick)
  return { remote, push, saved, sent, brought, from, unreadable, junk, rebuilt, conflicts: open }
}

function previewLines(preview: SyncPreview, state: GraphState, style: Style): Line[] {
  const { remote, going, coming, isFirst } = preview
  const where = remote === null ? "into the repository's log (there is no remote)" : `to ${remote}`
  return [
    going.length === 0 ? "Nothing would be sent." : `${entriesText(going.length)} would be sent ${where}:`,
    ...entriesByClone(going, state, style),
    isFirst && style("yellow", `${remote} has no log yet: a sync asks before it sends one.`),
    coming.length === 0 ? "Nothing would be received." : `${entriesText(coming.length)} would be received:`,
    ...entriesByClone(coming, state, style),
    ...unusedLines(preview, style),
  ]
}

function entriesByClone(all: Entry[], state: GraphState, style: Style): string[] {
  const cloneOf = (entry: Entry) => `clone ${entry.writer}`
  return [...new Set(all.map(cloneOf))].flatMap((name) => {
    const own = all.filter((entry) => cloneOf(entry) === name)
    const shown = describeEntries(own, new Set(own.slice(0, 10)), state)
    const rest = own.length - shown.length
    return [
      `  ${style("cyan", name)}: ${entriesText(own.length)}`,
      ...shown.map(({ entry, changes }) => {
        const more = changes.length > 1 ? style("dim", ` and ${changes.length - 1} more`) : ""
        return `    ${style("dim", localTime(entry.at))}  ${changes[0] ?? "nothing"}${more}`
      }),
      ...(rest > 0 ? [`    and ${rest} more`] : []),
    ]
  })
}

function entriesText(n: number): string {
  return counted(n, "entry", "entries")
}

const conflictsCommand: CliCommand<{ all?: boolean; take?: "kept" | "lost" }> = {
  configure(conflicts) {
    const take = "with settle: `kept` keeps the current value, `lost` puts the other one in its place"
    conflicts
      .addArgument(conflicts.createArgument("[action]", "`settle` a conflict").choices(["settle"]))
      .argument("[id]", "the conflict to settle: its id, or the start of it")
      .addOption(choiceOption("--take <side>", take, ["kept", "lost"]))
      .option("--all", "also conflicts that were settled, automatically or by a person")
  },

  help: "Example: hivemind sync conflicts settle 1a2b3c4d --take lost",

  run: (input) =>
    withHive(input, async ({ hive }) => {
      const [action, id] = input.args
      const { all, take } = input.options
      const { state } = hive.store.read()
      if (action !== undefined) {
        if (id === undefined || take === undefined)
          throw new HiveError({
            code: "invalid_argument",
            what: "`settle` needs the id of one conflict, and `--take` with the value to use.",
            why: "`--take kept` keeps the current value; `--take lost` puts the other one in its place.",
            use_instead: `See \`hivemind sync conflicts\`; then \`hivemind sync conflicts settle ${id ?? "<id>"} --take kept\`.`,
            evidence: `hivemind sync conflicts settle ${id ?? "<id>"}`,
          })
        const caller = { tool: "hivemind sync conflicts", session: null, agent: null }
        const conflict = await settleConflict(hive, caller, { conflict: id, take })
        const { record, stands, lost } = describeConflict(conflict, state)
        const open = openConflicts(hive.store.read().state).length
        return {
          data: { conflict, taken: take, open },
          text: [
            `Settled: ${record}, ${take === "kept" ? stands : lost}.`,
            open === 0 ? "No more conflicts." : `${counted(open, "conflict")} left.`,
          ],
        }
      }
      const byTime = (a: Conflict, b: Conflict) => (a.created_at + a.id < b.created_at + b.id ? -1 : 1)
      const listed = all === true ? [...state.conflict.values()].sort(byTime) : openConflicts(state)
      const describe = (each: Conflict) => ({
        ...describeConflict(each, state),
        isOpen: isOpenConflict(each, state),
      })
      const shown = listed.map((each) => conflictText(each, describe(each), input.style))
      return {
        data: { conflicts: listed.map((each) => ({ ...each, ...describe(each) })) },
        text: shown.length === 0 ? "No conflicts." : shown.join("\n\n"),
      }
    }),
}

function conflictText(
  { id, status, created_at, ...sides }: Conflict,
  { record, happened, stands, lost, isOpen }: ConflictWords & { isOpen: boolean },
  style: Style,
): string {
  const by = (writer: string | null) => (writer === null ? "" : style("dim", ` (clone ${writer})`))
  const how = isOpen
    ? `\`hivemind sync conflicts settle ${shortId(id)} --take kept\`, or \`--take lost\``
    : CONFLICT_STATUS[status]
  return [
    `${style("cyan", shortId(id))}  ${record}: ${happened}  ${style("dim", localTime(created_at))}`,
    `    current: ${stands}${by(sides.kept.writer)}`,
    `    other:   ${lost}${by(sides.lost.writer)}`,
    `    ${isOpen ? style("yellow", how) : style("dim", how)}`,
  ].join("\n")
}

export const views: Record<string, CliCommand> = { conflicts: conflictsCommand }

const CONFLICT_STATUS: Record<Conflict["status"], string> = {
  noted: "settled automatically, by a rule of the merge",
  open: "no longer open: the record has been changed since",
  settled: "settled",
}
