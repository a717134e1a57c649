import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { mkdir } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import type { Command } from "commander"
import { askRunning, runningFile } from "../dashboard/running.ts"
import { serveDashboard } from "../dashboard/serve.ts"
import { snapshotPage } from "../dashboard/snapshot.ts"
import type { Hive } from "../hive/hive.ts"
import { userConfigFile } from "../hive/load-config.ts"
import { locateHive } from "../hive/locate.ts"
import { openHiveAt } from "../hive/open.ts"
import { HiveError } from "../shared/error.ts"
import { systemSource } from "../shared/ids.ts"
import { writeAtomic } from "../store/files/atomic-write.ts"
import { hivePaths } from "../store/files/layout.ts"
import { explainWrite } from "./install/config-file.ts"
import { withHive } from "./project/open-project.ts"
import type { CliCommand, CliInput, CliResult } from "./terminal/command.ts"

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
      const file = runningFile(
        join(io.env["XDG_STATE_HOME"] || join(io.home, ".local", "state"), "hivemind", "dashboard.json"),
      )
      const earlier = file.read()
      const found = earlier === undefined ? undefined : await askRunning(earlier, place.dir)
      if (found !== undefined) {
        show(input, found)
        return {
          data: { url: found, isNew: false },
          text: `The dashboard runs already; here it shows this project:\n${found}`,
        }
      }

      const token = randomBytes(32).toString("base64url")
      const openProject = async (dir: string) => {
        const opened = await openHiveAt(locateHive(dir), {
          source: systemSource,
          userConfig: userConfigFile(io.env, io.home),
          options: { name: "the command line", value: undefined },
        })
        return opened.hive
      }
      const dashboard = await serveDashboard({
        port: portIn(options.port),
        now: Date.now,
        token,
        open: openProject,
        onError: (error) =>
          io.stderr.write(`hivemind dashboard: ${error instanceof Error ? error.message : error}\n`),
      })
      const running = { port: dashboard.port, token }
      file.write(running)
      const url = dashboard.invite(dashboard.add(await openProject(place.dir)))
      io.stdout.write(
        json ? `${JSON.stringify({ status: "success", url, isNew: true })}\n` : `${url}\nCtrl-C ends it.\n`,
      )
      show(input, url)
      await ended(io)
      file.remove(running)
      await dashboard.close()
      return undefined
    }),
}

async function exported(hive: Hive, to: string | true, dir: string): Promise<CliResult> {
  const name = `dashboard-${new Date(hive.source.now()).toISOString().replace(/[:.]/g, "-")}.html`
  const file = to === true ? join(hivePaths(hive.home).dashboards, name) : resolve(dir, to)
  const page = await snapshotPage(hive)
  try {
    await mkdir(dirname(file), { recursive: true })
    writeAtomic(file, page)
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

function show({ options, io }: CliInput<DashboardOptions>, url: string): void {
  if (!options.open || io.stdout.isTTY !== true) return
  const [command, ...args] = OPENERS[process.platform] ?? ["xdg-open"]
  const opener = spawn(command ?? "xdg-open", [...args, url], { stdio: "ignore", detached: true })
  // Where there is no browser, the address is printed all the same.
  opener.on("error", () => {})
  opener.unref()
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

const OPENERS: Readonly<Record<string, string[]>> = {
  darwin: ["open"],
  win32: ["cmd", "/c", "start", ""],
}
