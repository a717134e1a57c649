import { join, resolve } from "node:path"
import { createInterface } from "node:readline"
import { exportedPage } from "../dashboard/export-page.ts"
import { openBrowser } from "../dashboard/open-browser.ts"
import { PARENT_PID_VARIABLE } from "../dashboard/own-process.ts"
import { serveDashboard } from "../dashboard/serve.ts"
import { agentFolders, isImported, pastSessionsOffer } from "../history/find-sessions.ts"
import type { Hive } from "../hive/hive.ts"
import { HiveError } from "../shared/error.ts"
import { hivePaths } from "../store/files/layout.ts"
import { writePage } from "../store/files/text-file.ts"
import { checkAll } from "./doctor.ts"
import { inactiveNotice } from "./install/active.ts"
import { explainWrite } from "./install/config-file.ts"
import { configLocation, withHive } from "./project/open-project.ts"
import type { CliCommand, CliInput, CliResult } from "./terminal/command.ts"
import { numberOption } from "./terminal/options.ts"
import { requirePerson } from "./terminal/person.ts"

type DashboardOptions = { port?: number; open: boolean; export?: string | true; force?: boolean }

export const command: CliCommand<DashboardOptions> = {
  configure(dashboard) {
    const port = numberOption("--port <port>", "the port to listen on (default: any free port)", PORTS)
    const file = "write the page with its data as one file (default: under .hivemind/artifacts/dashboards/)"
    dashboard
      .addOption(port)
      .option("--no-open", "only print the address")
      .option("--export [file]", file)
      .option("--force", "with --export: replace a file that is not an exported dashboard")
  },

  help: "The address opens the page once. Ctrl-C stops the dashboard.",

  run: (input) =>
    withHive(input, async ({ place, hive }) => {
      const { io, options, json } = input
      if (options.export !== undefined) return exported(hive, options.export, input)
      // OpenCode starts the dashboard itself when the user types `/hive-dashboard`. An agent may not start it.
      const isFromHost = io.env[PARENT_PID_VARIABLE] === String(process.ppid)
      if (!isFromHost) requirePerson(io, "The dashboard")
      let offer: ReturnType<typeof pastSessionsOffer> | undefined
      const { invite, close } = await serveDashboard({
        hive,
        port: options.port ?? 0,
        now: Date.now,
        inactive: async () => (isFromHost ? null : inactiveNotice(configLocation(place, io))),
        pastSessions: async () => {
          if (isImported(place.home)) return null
          // The search for past sessions reads the beginning of many files, so it runs only once.
          offer ??= pastSessionsOffer(place, agentFolders(io.env, io.home), hive.store.read().state)
          return (await offer) ?? null
        },
        doctor: async () => ({ checks: await checkAll(place, io, null) }),
        onError: (error) =>
          io.stderr.write(`hivemind dashboard: ${error instanceof Error ? error.message : error}\n`),
      })
      const { url, opens } = invite()
      if (options.open && io.stdout.isTTY === true) openBrowser(opens)
      const printJson = (addresses: object) =>
        io.stdout.write(`${JSON.stringify({ status: "success", ...addresses })}\n`)
      // Called before the address is printed, because a program may close our stdin as soon as it has read the address.
      const end = ended(io, json ? () => printJson(invite()) : undefined)
      if (json) printJson({ url, opens })
      else io.stdout.write(`${url}\nCtrl-C stops the dashboard.\n`)
      await end
      await close()
      return undefined
    }),
}

async function exported(
  hive: Hive,
  to: string | true,
  { dir, options }: CliInput<DashboardOptions>,
): Promise<CliResult> {
  const name = `dashboard-${new Date(hive.source.now()).toISOString().replace(/[:.]/g, "-")}.html`
  const file = to === true ? join(hivePaths(hive.home).dashboards, name) : resolve(dir, to)
  const page = await exportedPage(hive)
  let isWritten: boolean
  try {
    isWritten = writePage(file, page, { force: options.force === true })
  } catch (error) {
    throw explainWrite(error, `write ${file}`, file)
  }
  if (!isWritten)
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

/** Resolves on Ctrl-C, a signal or a closed terminal. With `onLine`, each line of input requests new addresses. */
async function ended(io: CliInput["io"], onLine: (() => void) | undefined): Promise<void> {
  const { stdin } = process
  await new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => resolve())
    io.onReaderGone?.(resolve)
    // Closed input ends the dashboard only with `--json`: under nohup or CI, stdin may be closed from the start.
    if (onLine === undefined || io.stdin.isTTY === true) return
    stdin.once("error", () => resolve())
    createInterface({ input: stdin }).on("line", onLine).once("close", resolve)
  })
  // An open input pipe would keep the process alive.
  stdin.destroy()
}

const PORTS = { min: 0, max: 65535 }
