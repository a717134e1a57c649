import { join, resolve } from "node:path"
import type { Command } from "commander"
import { openBrowser } from "../dashboard/open-browser.ts"
import { BESIDE } from "../dashboard/own-process.ts"
import { snapshotPage } from "../dashboard/snapshot.ts"
import { startDashboard, stateHomeIn } from "../dashboard/start.ts"
import type { Hive } from "../hive/hive.ts"
import { userConfigFile } from "../hive/load-config.ts"
import { locateHive } from "../hive/locate.ts"
import { openHiveAt } from "../hive/open.ts"
import { HiveError } from "../shared/error.ts"
import { systemSource } from "../shared/ids.ts"
import { writePage } from "../store/files/dashboard-file.ts"
import { hivePaths } from "../store/files/layout.ts"
import { explainWrite } from "./install/config-file.ts"
import { withHive } from "./project/open-project.ts"
import type { CliCommand, CliInput, CliResult } from "./terminal/command.ts"
import { requirePerson } from "./terminal/require-person.ts"

interface DashboardOptions {
  port?: string
  open: boolean
  export?: string | true
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
      .addHelpText("after", "\nThe address opens the page once. Ctrl-C ends it.")
  },

  run: (input) =>
    withHive(input, async ({ place, hive }) => {
      const { io, options, json } = input
      if (options.export !== undefined) return exported(hive, options.export, input.dir)
      // OpenCode itself starts it for the user's `/hive-dashboard`; what its agents run does not get in.
      if (io.env[BESIDE] !== String(process.ppid)) requirePerson(io, "The dashboard", { terminal: false })
      const open = async (dir: string) => {
        const options = { name: "the command line", value: undefined }
        const userConfig = userConfigFile(io.env, io.home)
        return (await openHiveAt(locateHive(dir), { source: systemSource, userConfig, options })).hive
      }
      const { url, isNew, close } = await startDashboard({
        dir: place.dir,
        open,
        stateHome: stateHomeIn(io.env, io.home),
        port: portIn(options.port),
        now: Date.now,
        onError: (error) =>
          io.stderr.write(`hivemind dashboard: ${error instanceof Error ? error.message : error}\n`),
      })
      if (options.open && io.stdout.isTTY === true) openBrowser(url)
      if (!isNew)
        return {
          data: { url, isNew },
          text: `The dashboard runs already; here it shows this project:\n${url}`,
        }
      const line = json ? JSON.stringify({ status: "success", url, isNew }) : `${url}\nCtrl-C ends it.`
      io.stdout.write(`${line}\n`)
      await ended(io)
      await close()
      return undefined
    }),
}

async function exported(hive: Hive, to: string | true, dir: string): Promise<CliResult> {
  const name = `dashboard-${new Date(hive.source.now()).toISOString().replace(/[:.]/g, "-")}.html`
  const file = to === true ? join(hivePaths(hive.home).dashboards, name) : resolve(dir, to)
  const page = await snapshotPage(hive)
  try {
    writePage(file, page)
  } catch (error) {
    throw explainWrite(error, `write ${file}`, file)
  }
  return { data: { file, bytes: Buffer.byteLength(page) }, text: `Written: ${file}` }
}

/** By Ctrl-C, by whoever ends programs, or with its terminal. */
function ended(io: CliInput["io"]): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => resolve())
    io.onReaderGone?.(resolve)
    // A program that started it and reads nothing ends it by closing its input.
    if (io.stdin.isTTY !== true)
      process.stdin
        .resume()
        .once("end", resolve)
        .once("error", () => resolve())
  })
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
