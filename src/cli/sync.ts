import type { Command } from "commander"
import { userConfigFile } from "../hive/load-config.ts"
import { locateHive } from "../hive/locate.ts"
import { openHiveAt } from "../hive/open.ts"
import { counted } from "../shared/amounts.ts"
import { HiveError } from "../shared/error.ts"
import { systemSource } from "../shared/ids.ts"
import { hasHive } from "../store/files/layout.ts"
import { previewSync } from "../sync/preview.ts"
import { chooseRemote, MAX_SILENCE_MS, requireRemote } from "../sync/remote.ts"
import { requireRepository } from "../sync/require-repository.ts"
import { restoreHive } from "../sync/restore.ts"
import { type SyncInput, syncHive } from "../sync/sync.ts"
import { withHive } from "./project/open-project.ts"
import { ask } from "./terminal/ask.ts"
import type { CliCommand, CliInput, CliResult } from "./terminal/command.ts"
import type { CliIo } from "./terminal/io.ts"
import { ERASE_LINE } from "./terminal/output.ts"
import { parseSeconds } from "./terminal/parse-limit.ts"
import { styleFor } from "./terminal/style.ts"
import { previewText, syncData, syncText } from "./terminal/sync-text.ts"

interface SyncOptions {
  remote?: string
  dryRun?: boolean
  yes?: boolean
  restore?: boolean
  push: boolean
  wait: string
}

/** Shares the log over the repository's remote, and keeps it in a ref of the repository. */
export const syncCommand: CliCommand<SyncOptions> = {
  configure(command: Command) {
    command
      .option("--remote <name>", "a remote of git (default: that of the branch, else origin)")
      .option("--dry-run", "only say what would go and what would come")
      .option("-y, --yes", "send the log to a remote for the first time without a question")
      .option("--no-push", "bring what others have written, send nothing")
      .option("--wait <seconds>", "how long the remote may say nothing", String(MAX_SILENCE_MS / 1000))
      .option("--restore", "bring a deleted .hivemind/ back from the backup and the shared log")
      .addHelpText("after", "\nExample: hivemind sync --dry-run")
  },

  async run(input) {
    const { options } = input
    const place = locateHive(input.dir)
    requireRepository(place.dir)
    if (options.restore === true) return restore(input)
    if (!hasHive(place.home)) throw notSetUp(place.home)
    const remote = await remoteFor(place.dir, options.remote)
    const maxSilenceMs = parseSeconds(options.wait, "--wait") * 1000
    return withHive(input, ({ project, hive }) =>
      options.dryRun === true
        ? preview(input, project, { store: hive.store, dir: hive.dir, remote, maxSilenceMs })
        : sync(input, project, { store: hive.store, dir: hive.dir, remote, maxSilenceMs }),
    )
  },
}

type Target = Pick<SyncInput, "store" | "dir" | "remote" | "maxSilenceMs">

async function sync(
  { options, io }: CliInput<SyncOptions>,
  project: string,
  target: Target,
): Promise<CliResult> {
  const progress = showProgress(io)
  const report = await syncHive({
    ...target,
    push: options.push,
    mayBegin: (entries) => mayBegin(target.remote ?? "", entries, options, io, progress.clear),
    ...progress.listeners,
  }).finally(progress.clear)
  const { state } = target.store.read()
  return {
    data: { project, ...syncData(report, state) },
    text: syncText(report, state, styleFor(io.stdout, io.env)),
    trouble: report.push === "kept",
  }
}

async function preview(
  { options, io }: CliInput<SyncOptions>,
  project: string,
  target: Target,
): Promise<CliResult> {
  const progress = showProgress(io)
  const found = await previewSync({ ...target, push: options.push, ...progress.listeners }).finally(
    progress.clear,
  )
  const { going, coming, ...rest } = found
  return {
    data: { project, dry_run: true, ...rest, going, coming },
    text: previewText(found, target.store.read().state, styleFor(io.stdout, io.env)),
  }
}

async function restore({ dir, options, io }: CliInput<SyncOptions>): Promise<CliResult> {
  const place = locateHive(dir)
  const remote = await remoteFor(place.dir, options.remote)
  const isNew = !hasHive(place.home)
  const { hive } = await openHiveAt(place, {
    source: systemSource,
    userConfig: userConfigFile(io.env, io.home),
    options: { name: "the command line", value: undefined },
  })
  const progress = showProgress(io)
  try {
    const { store } = hive
    const report = await restoreHive({
      store,
      dir: hive.dir,
      home: hive.home,
      remote,
      maxSilenceMs: parseSeconds(options.wait, "--wait") * 1000,
      ...progress.listeners,
    })
    progress.clear()
    const { state } = store.read()
    const notes = report.unreachable === null ? [] : [`The remote was not asked. ${report.unreachable}`]
    const did = isNew ? `Restored .hivemind/ in ${place.home}.` : `Restored the graph in ${place.home}.`
    return {
      data: {
        project: place.home,
        restored: true,
        ...syncData(report, state),
        unreachable: report.unreachable,
      },
      text: [did, ...notes, syncText(report, state, styleFor(io.stdout, io.env))].join("\n"),
    }
  } finally {
    progress.clear()
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

async function remoteFor(dir: string, wanted: string | undefined): Promise<string | null> {
  return wanted === undefined ? ((await chooseRemote(dir)) ?? null) : requireRemote(dir, wanted)
}

/** Whoever can read the remote can read the log from then on: that is for a person to decide. */
async function mayBegin(
  remote: string,
  entries: number,
  options: SyncOptions,
  io: CliIo,
  clear: () => void,
): Promise<boolean> {
  if (options.yes === true) return true
  // Everything else is done; the text says how to go on.
  if (io.stdin.isTTY !== true) return false
  clear()
  const what = counted(entries, "entry", "entries")
  const question = `Send the log (${what}) to ${remote} for the first time? Whoever can read ${remote} can read it.`
  return ask(question, "sync", io)
}

/**
 * What a sync is at, on a terminal. Notes get a line of their own: git may be asking for a password on the next one.
 */
function showProgress({ stderr }: CliIo) {
  let isShown = false
  const clear = () => {
    if (isShown) stderr.write(ERASE_LINE)
    isShown = false
  }
  const show = (text: string) => {
    if (stderr.isTTY !== true) return
    stderr.write(`${ERASE_LINE}${text}`)
    isShown = true
  }
  return {
    clear,
    listeners: {
      onNote(note: string): void {
        clear()
        if (stderr.isTTY === true) stderr.write(`${note}\n`)
      },
      onTransfer: show,
      onProgress: (done: number) => show(`Bringing ${counted(done, "entry", "entries")}`),
    },
  }
}
