import type { Command } from "commander"
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
import { previewSync, type SyncPreview } from "../sync/preview.ts"
import { requireRepository } from "../sync/ref.ts"
import { chooseRemote, MAX_SILENCE_MS, requireRemote } from "../sync/remote.ts"
import { restoreHive } from "../sync/restore.ts"
import { type SyncInput, type SyncReport, syncHive } from "../sync/sync.ts"
import { describeEntries } from "../views/log/log-entries.ts"
import { settleConflict } from "../work/conflict/settle.ts"
import { openPlainHive, withHive } from "./project/open-project.ts"
import type { CliCommand, CliInput, CliResult } from "./terminal/command.ts"
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

/** Shares the log over the repository's remote, and keeps it in a ref of the repository. */
export const command: CliCommand<SyncOptions> = {
  configure(syncing: Command) {
    syncing
      .option("--remote <name>", "a remote of git (default: that of the branch, else origin)")
      .option("--dry-run", "only show the entries to send and receive")
      .option("-y, --yes", "send the log to a remote for the first time without a question")
      .option("--no-push", "receive only, send nothing")
      .addOption(
        numberOption("--wait <seconds>", "how long the remote may say nothing", {
          min: 0.1,
          max: 3600,
          fallback: MAX_SILENCE_MS / 1000,
          isDecimal: true,
        }),
      )
      .option("--restore", "bring a deleted .hivemind/ back from the backup and the shared log")
      .addHelpText("after", "\nExample: hivemind sync --dry-run")
  },

  async run(input) {
    const { options, io, style } = input
    const place = locateHive(input.dir)
    requireRepository(place.dir)
    if (options.restore !== true && !hasHive(place.home)) throw notSetUp(place.home)
    const remote =
      options.remote === undefined
        ? ((await chooseRemote(place.dir)) ?? null)
        : await requireRemote(place.dir, options.remote)
    const progress = syncProgress(io)
    const how = { remote, maxSilenceMs: options.wait * 1000, ...progress.listeners }
    if (options.restore === true) return restore(input, how).finally(progress.clear)
    return withHive(input, async ({ hive: { store, dir } }) => {
      const target = { store, dir, ...how }
      if (options.dryRun === true) {
        const found = await previewSync({ ...target, push: options.push }).finally(progress.clear)
        return { data: { dry_run: true, ...found }, text: previewLines(found, store.read().state, style) }
      }
      const report = await syncHive({
        ...target,
        push: options.push,
        mayBegin: (entries) => mayBegin(remote ?? "", entries, options, io, progress.clear),
      }).finally(progress.clear)
      const { state } = store.read()
      return {
        data: reportData(report, state),
        text: syncLines(report, state, style),
        trouble: report.push === "kept",
      }
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
    const { state } = store.read()
    return {
      data: { project: place.home, restored: report.brought > 0, ...reportData(report, state), unreachable },
      text: [
        report.brought === 0
          ? `Nothing was missing in ${place.home}.`
          : `Restored ${isNew ? ".hivemind/" : "the graph"} in ${place.home}.`,
        ...(unreachable === null ? [] : [`The remote was not asked. ${unreachable}`]),
        ...(report.brought === 0 ? [] : syncLines(report, state, style)),
      ],
    }
  } finally {
    await hive.store.close()
  }
}

function notSetUp(home: string): HiveError {
  return new HiveError({
    code: "no_project",
    what: "HiveMind is not set up here.",
    why: "The repository of this folder has no `.hivemind/` folder.",
    use_instead:
      "Run `hivemind init`. If others have shared their log, or it was deleted: `hivemind sync --restore`.",
    evidence: home,
  })
}

/** All users with access to the remote can read the log from then on: a person has to decide that. */
async function mayBegin(
  remote: string,
  entries: number,
  { yes }: SyncOptions,
  io: CliIo,
  clear: () => void,
): Promise<boolean> {
  if (yes === true) return true
  // Everything else is done; the text says how to go on.
  if (io.stdin.isTTY !== true) return false
  clear()
  const question = `Send the log (${entriesText(entries)}) to ${remote} for the first time? All users with access to ${remote} can read it.`
  return ask(question, "sync", io)
}

/** Notes get a line of their own: git may be asking for a password on the next one. */
function syncProgress(io: CliIo) {
  const line = progressLine(io)
  const onNote = (note: string) => {
    line.clear()
    if (io.stderr.isTTY === true) io.stderr.write(`${note}\n`)
  }
  const onProgress = (done: number) => line.show(`Receiving ${entriesText(done)}`)
  return { clear: line.clear, listeners: { onNote, onTransfer: line.show, onProgress } }
}

/** The results of a sync, one per line. */
export function syncLines(report: SyncReport, state: GraphState, style: Style): string[] {
  const { saved, brought, from, unreadable, junk, conflicts, rebuilt, remote } = report
  const open = conflicts.filter((each) => isOpenConflict(each, state)).length
  const noted = conflicts.filter(({ status }) => status === "noted").length
  const lines = [
    ...rebuilt.map((ref) => style("yellow", `Git could not read ${ref}: it was made again from the log.`)),
    ...sentLines(report, style),
    ...(remote === null && saved > 0 ? [`${entriesText(saved)} saved in the repository's log.`] : []),
    ...(brought > 0 ? [`${entriesText(brought)} came from ${counted(from.length, "clone")}.`] : []),
    ...(open > 0
      ? [style("yellow", `${counted(open, "conflict")}: settle with \`hivemind sync conflicts\`.`)]
      : []),
    ...(noted > 0
      ? [style("dim", `${noted} settled by rule; \`hivemind sync conflicts --all\` shows them.`)]
      : []),
    ...unusedLines({ unreadable, junk }, style),
  ]
  return lines.length === 0 ? ["Nothing new."] : lines
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
        "`hivemind sync --yes` sends it. All else is done.",
      ]
    case "none":
      return remote === null ? ["No remote: the log is kept in this repository only."] : []
  }
}

/** Lines in the log of other clones that could not be used. */
function unusedLines({ unreadable, junk }: { unreadable: number; junk: number }, style: Style): string[] {
  const lines = [
    ...(unreadable === 0
      ? []
      : [
          `${counted(unreadable, "line")} of a newer HiveMind cannot be read. Update hivemind-opencode; they are kept and tried again.`,
        ]),
    ...(junk === 0
      ? []
      : [
          `${counted(junk, "line")} in the log of other clones ${junk === 1 ? "is no entry" : "are no entries"} of any HiveMind: damaged, or written by something else. Passed over.`,
        ]),
  ]
  return lines.map((line) => style("yellow", line))
}

function reportData(report: SyncReport, state: GraphState) {
  const { remote, push, saved, sent, brought, from, unreadable, junk, conflicts, rebuilt } = report
  const pick = ({ id, rule, kind, record_id, status }: Conflict) => ({ id, rule, kind, record_id, status })
  const open = conflicts.filter((each) => isOpenConflict(each, state)).map(pick)
  return { remote, push, saved, sent, brought, from, unreadable, junk, rebuilt, conflicts: open }
}

/** The preview of a sync. */
function previewLines(preview: SyncPreview, state: GraphState, style: Style): string[] {
  const { remote, going, coming, isFirst } = preview
  const where = remote === null ? "into the repository's log (there is no remote)" : `to ${remote}`
  return [
    going.length === 0 ? "Nothing would be sent." : `${entriesText(going.length)} would be sent ${where}:`,
    ...entriesByClone(going, state, style),
    ...(isFirst ? [style("yellow", `${remote} has no log yet: a sync asks before it sends one.`)] : []),
    coming.length === 0 ? "Nothing would be received." : `${entriesText(coming.length)} would be received:`,
    ...entriesByClone(coming, state, style),
    ...unusedLines(preview, style),
  ]
}

/** The first few of each clone. */
function entriesByClone(all: Entry[], state: GraphState, style: Style): string[] {
  const cloneOf = (entry: Entry) => `clone ${entry.writer}`
  return [...new Set(all.map(cloneOf))].flatMap((name) => {
    const own = all.filter((entry) => cloneOf(entry) === name)
    const shown = describeEntries(own, new Set(own.slice(0, MAX_SHOWN)), state)
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

interface ConflictsOptions {
  all?: boolean
  take?: "kept" | "lost"
}

/** Lists sync conflicts, and settles one. */
const conflictsCommand: CliCommand<ConflictsOptions> = {
  configure(conflicts: Command) {
    conflicts
      .addArgument(conflicts.createArgument("[action]", "`settle` to decide one").choices(["settle"]))
      .argument("[id]", "the conflict to settle: its id, or the start of it")
      .addOption(
        choiceOption(
          "--take <side>",
          "with settle: `kept` keeps the current value, `lost` puts the other one in its place",
          ["kept", "lost"],
        ),
      )
      .option("--all", "also those that a rule or a person has settled")
      .addHelpText("after", "\nExample: hivemind sync conflicts settle 1a2b3c4d --take lost")
  },

  run: (input) =>
    withHive(input, async ({ hive }) => {
      const [action, id] = input.args
      const { all, take } = input.options
      const { state } = hive.store.read()
      if (action !== undefined) {
        if (id === undefined || take === undefined) throw settleUsage(id)
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

function settleUsage(id = "<id>"): HiveError {
  return new HiveError({
    code: "invalid_argument",
    what: "`settle` needs the id of one conflict, and `--take` with the value to use.",
    why: "`--take kept` keeps the current value; `--take lost` puts the other one in its place.",
    use_instead: `See \`hivemind sync conflicts\`; then \`hivemind sync conflicts settle ${id} --take kept\`.`,
    evidence: `hivemind sync conflicts settle ${id}`,
  })
}

export const views: Record<string, CliCommand> = { conflicts: conflictsCommand }

const CONFLICT_STATUS: Record<Conflict["status"], string> = {
  noted: "settled by rule",
  open: "no longer open: the record has been changed since",
  settled: "settled",
}
const MAX_SHOWN = 10
