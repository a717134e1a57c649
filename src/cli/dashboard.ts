import { join, resolve } from "node:path"
import { createInterface } from "node:readline"
import type { Command } from "commander"
import { exportedPage } from "../dashboard/export-page.ts"
import { openBrowser } from "../dashboard/open-browser.ts"
import { BESIDE } from "../dashboard/own-process.ts"
import { serveDashboard } from "../dashboard/serve.ts"
import { agentFolders } from "../history/find-sessions.ts"
import { isImported, pastSessionsOffer } from "../history/offer.ts"
import type { Hive } from "../hive/hive.ts"
import { HiveError } from "../shared/error.ts"
import { writePage } from "../store/files/dashboard-file.ts"
import { hivePaths } from "../store/files/layout.ts"
import { checkAll } from "./doctor.ts"
import { inactiveNotice } from "./install/active.ts"
import { explainWrite } from "./install/config-file.ts"
import { configLocation, withHive } from "./project/open-project.ts"
import type { CliCommand, CliInput, CliResult } from "./terminal/command.ts"
import { numberOption } from "./terminal/options.ts"
import { requirePerson } from "./terminal/person.ts"

interface DashboardOptions {
  port?: number
  open: boolean
  export?: string | true
  force?: boolean
}

/** Serves the page on this machine until the terminal or Ctrl-C ends it. */
export const command: CliCommand<DashboardOptions> = {
  configure(dashboard: Command) {
    dashboard
      .addOption(
        numberOption("--port <port>", "listen there (default: any that is free)", { min: 0, max: 65535 }),
      )
      .option("--no-open", "only print the address")
      .option(
        "--export [file]",
        "write the page with its data as one file (default: under .hivemind/artifacts/dashboards/)",
      )
      .option("--force", "with --export: replace a file that is not an exported dashboard")
      .addHelpText("after", "\nThe address opens the page once. Ctrl-C ends it.")
  },

  run: (input) =>
    withHive(input, async ({ place, hive }) => {
      const { io, options, json } = input
      if (options.export !== undefined) return exported(hive, options.export, input)
      // OpenCode itself starts it for the user's `/hive-dashboard`; what its agents run is refused.
      const isFromHost = io.env[BESIDE] === String(process.ppid)
      if (!isFromHost) requirePerson(io, "The dashboard")
      const { invite, close } = await serveDashboard({
        hive,
        port: options.port ?? 0,
        now: Date.now,
        inactive: async () => (isFromHost ? null : inactiveNotice(configLocation(place, io))),
        // Looking for them reads the beginning of many files: once is enough.
        pastSessions: onceUntil(
          () => pastSessionsOffer(place, agentFolders(io.env, io.home), hive.store.read().state),
          () => isImported(place.home),
        ),
        doctor: async () => ({ checks: await checkAll(place, io, null) }),
        onError: (error) =>
          io.stderr.write(`hivemind dashboard: ${error instanceof Error ? error.message : error}\n`),
      })
      const { url, opens } = invite()
      if (options.open && io.stdout.isTTY === true) openBrowser(opens)
      const printJson = (addresses: object) =>
        io.stdout.write(`${JSON.stringify({ status: "success", ...addresses })}\n`)
      // A program that reads the line may end it at once.
      const end = ended(io, json ? () => printJson(invite()) : undefined)
      if (json) printJson({ url, opens })
      else io.stdout.write(`${url}\nCtrl-C ends it.\n`)
      await end
      await close()
      return undefined
    }),
}

/** The page for a colleague or a pull request: one file that needs no server. */
async function exported(
  hive: Hive,
  to: string | true,
  { dir, options }: CliInput<DashboardOptions>,
): Promise<CliResult> {
  const name = `dashboard-${new Date(hive.source.now()).toISOString().replace(/[:.]/g, "-")}.html`
  const file = to === true ? join(hivePaths(hive.home).dashboards, name) : resolve(dir, to)
  const page = await exportedPage(hive)
  if (!write(file, page, options.force))
    throw new HiveError({
      code: "conflict",
      what: `${file} exists and is not an exported dashboard.`,
      why: "Its content would be lost.",
      use_instead: "Choose another name, or add --force to replace it.",
      evidence: file,
    })
  return {
    data: { file, bytes: Buffer.byteLength(page) },
    text: `Written: ${file}\nThe file contains this project's HiveMind data and only your user account can read it. Check its content before sharing it.`,
  }
}

function write(file: string, page: string, force = false): boolean {
  try {
    return writePage(file, page, { force })
  } catch (error) {
    throw explainWrite(error, `write ${file}`, file)
  }
}

/** Ended by Ctrl-C, by a signal, or with its terminal. For a program, each line of input asks for new addresses. */
async function ended(io: CliInput["io"], onLine: (() => void) | undefined): Promise<void> {
  const { stdin } = process
  await new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => resolve())
    io.onReaderGone?.(resolve)
    // A program that started it ends it by closing its input. Under nohup or CI the input may be closed from the start.
    if (onLine === undefined || io.stdin.isTTY === true) return
    stdin.once("error", () => resolve())
    createInterface({ input: stdin }).on("line", onLine).once("close", resolve)
  })
  // A pipe that is still open would hold the process.
  stdin.destroy()
}

function onceUntil(look: () => Promise<string | undefined>, isOver: () => boolean) {
  let looked: Promise<string | undefined> | undefined
  return async (): Promise<string | null> => {
    looked ??= look()
    return isOver() ? null : ((await looked) ?? null)
  }
}
