import { join, resolve } from "node:path"
import type { Command } from "commander"
import { openBrowser } from "../dashboard/open-browser.ts"
import { BESIDE } from "../dashboard/own-process.ts"
import { snapshotPage } from "../dashboard/snapshot.ts"
import { startDashboard, stateHomeIn } from "../dashboard/start.ts"
import type { Hive } from "../hive/hive.ts"
import { userConfigFile } from "../hive/load-config.ts"
import { locateHive } from "../hive/locate.ts"
import { openReadingOld } from "../migrate/fallback/open.ts"
import { HiveError } from "../shared/error.ts"
import { systemSource } from "../shared/ids.ts"
import { writePage } from "../store/files/dashboard-file.ts"
import { hivePaths } from "../store/files/layout.ts"
import { checkAll } from "./doctor.ts"
import { explainWrite } from "./install/config-file.ts"
import { withHive } from "./project/open-project.ts"
import type { CliCommand, CliInput, CliResult } from "./terminal/command.ts"
import { requirePerson } from "./terminal/require-person.ts"

interface DashboardOptions {
  port?: string
  open: boolean
  export?: string | true
  force?: boolean
}

/** Serves the page on this machine until the terminal or Ctrl-C ends it; one that runs already shows this project too. */
export const dashboardCommand: CliCommand<DashboardOptions> = {
  configure(command: Command) {
    command
      .option("--port <port>", "listen there (default: any that is free)")
      .option("--no-open", "only print the address")
      .option(
        "--export [file]",
        "write the page with its data as one file, for a colleague or a pull request (default: under .hivemind/artifacts/dashboards/)",
      )
      .option("--force", "with --export: replace a file that is no such page")
      .addHelpText("after", "\nThe address opens the page once. Ctrl-C ends it.")
  },

  run: (input) =>
    withHive(input, async ({ place, hive }) => {
      const { io, options, json } = input
      if (options.export !== undefined) return exported(hive, options.export, input)
      // OpenCode itself starts it for the user's `/hive-dashboard`; what its agents run does not get in.
      if (io.env[BESIDE] !== String(process.ppid)) requirePerson(io, "The dashboard")
      const open = async (dir: string) => {
        const options = { name: "the command line", value: undefined }
        const userConfig = userConfigFile(io.env, io.home)
        return (await openReadingOld(locateHive(dir), { source: systemSource, userConfig, options })).hive
      }
      const { url, opens, isNew, close } = await startDashboard({
        dir: place.dir,
        open,
        stateHome: stateHomeIn(io.env, io.home),
        port: portIn(options.port),
        now: Date.now,
        doctor: async (dir) => ({ checks: await checkAll(locateHive(dir), io, null) }),
        onError: (error) =>
          io.stderr.write(`hivemind dashboard: ${error instanceof Error ? error.message : error}\n`),
      })
      if (options.open && io.stdout.isTTY === true) openBrowser(opens)
      if (!isNew)
        return {
          data: { url, opens, isNew },
          text: `The dashboard runs already; here it shows this project:\n${url}${otherPort(url, options.port)}`,
        }
      const line = json ? JSON.stringify({ status: "success", url, opens, isNew }) : `${url}\nCtrl-C ends it.`
      // Who reads the line may end it at once.
      const end = ended(io)
      io.stdout.write(`${line}\n`)
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
  const page = await snapshotPage(hive)
  if (!write(file, page, options.force))
    throw new HiveError({
      code: "conflict",
      what: `${file} is there already, and is no page that was exported before.`,
      why: "What is in it would be lost.",
      use_instead: "Choose another name, or add --force to replace it.",
      evidence: file,
    })
  return {
    data: { file, bytes: Buffer.byteLength(page) },
    text: `Written: ${file}\nIt holds what your hive holds, and only you can read it: look before you send it.`,
  }
}

function write(file: string, page: string, force = false): boolean {
  try {
    return writePage(file, page, { force })
  } catch (error) {
    throw explainWrite(error, `write ${file}`, file)
  }
}

/** By Ctrl-C, by whoever ends programs, or with its terminal. */
async function ended(io: CliInput["io"]): Promise<void> {
  const { stdin } = process
  await new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => resolve())
    io.onReaderGone?.(resolve)
    // A program that started it and reads nothing ends it by closing its input.
    if (io.stdin.isTTY !== true)
      stdin
        .resume()
        .once("end", resolve)
        .once("error", () => resolve())
  })
  // A pipe that is still open would hold the process.
  stdin.destroy()
}

function otherPort(url: string, wanted: string | undefined): string {
  const { port } = new URL(url)
  return wanted === undefined || wanted === port
    ? ""
    : `\nIt has port ${port}; --port ${wanted} is for a new one.`
}

function portIn(given: string | undefined): number {
  const port = Number(given ?? 0)
  if (Number.isInteger(port) && port >= 0 && port < 65536) return port
  throw new HiveError({
    code: "invalid_argument",
    what: `"${given}" is no port.`,
    why: "A port is a whole number up to 65535.",
    use_instead: "For example --port 7337, or leave it out.",
    evidence: `--port ${given}`,
  })
}
