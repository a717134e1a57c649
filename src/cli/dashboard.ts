import { createInterface } from "node:readline"
import type { Command } from "commander"
import { openBrowser } from "../dashboard/open-browser.ts"
import { BESIDE } from "../dashboard/own-process.ts"
import { serveDashboard } from "../dashboard/serve.ts"
import { checkAll } from "./doctor.ts"
import { inactiveNotice } from "./install/active.ts"
import { configLocation, withHive } from "./project/open-project.ts"
import type { CliCommand, CliInput } from "./terminal/command.ts"
import { numberOption } from "./terminal/options.ts"
import { requirePerson } from "./terminal/person.ts"

interface DashboardOptions {
  port?: number
  open: boolean
}

/** Serves the page on this machine until the terminal or Ctrl-C ends it. */
export const command: CliCommand<DashboardOptions> = {
  configure(dashboard: Command) {
    dashboard
      .addOption(
        numberOption("--port <port>", "listen there (default: any that is free)", { min: 0, max: 65535 }),
      )
      .option("--no-open", "only print the address")
      .addHelpText("after", "\nThe address opens the page once. Ctrl-C ends it.")
  },

  run: (input) =>
    withHive(input, async ({ place, hive }) => {
      const { io, options, json } = input
      // OpenCode itself starts it for the user's `/hive-dashboard`; what its agents run is refused.
      const isFromHost = io.env[BESIDE] === String(process.ppid)
      if (!isFromHost) requirePerson(io, "The dashboard")
      const { invite, close } = await serveDashboard({
        hive,
        port: options.port ?? 0,
        now: Date.now,
        inactive: async () => (isFromHost ? null : inactiveNotice(configLocation(place, io))),
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
