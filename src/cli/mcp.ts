import { userConfigFile } from "../hive/load-config.ts"
import { shorten } from "../shared/text/clean.ts"
import { ownPackage } from "./install/own-package.ts"
import type { CliCommand } from "./terminal/command.ts"

interface McpOptions {
  dir?: string
}

/** Serves one client over standard input and output until it disconnects. Nothing but the protocol is printed. */
export const command: CliCommand<McpOptions> = {
  configure(mcp) {
    mcp.addHelpText(
      "after",
      "\nAn agent starts it by itself: see `hivemind init --mcp <client>`. It works in the folder that the client names,\nor where it was started.",
    )
  },

  async run({ dir, options, io }) {
    const [{ serveMcp }, { StdioServerTransport }] = await Promise.all([
      import("../hosts/mcp/serve.ts"),
      import("../hosts/mcp/sdk.ts"),
    ])
    const transport = new StdioServerTransport()
    // A message that is too long ends the connection: the reason goes to standard error.
    transport.onerror = ({ message }) => io.stderr.write(`hivemind mcp: ${shorten(message, MAX_SHOWN)}\n`)
    // A client that was killed closes nothing; its session has to end all the same.
    const end = () => void transport.close()
    process.stdin.once("end", end).once("close", end)
    io.onReaderGone?.(end)
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const)
      process.once(signal, () => {
        end()
        setTimeout(() => process.exit(), AFTER_MS).unref()
      })
    await serveMcp({
      version: ownPackage().version,
      dir,
      isDirGiven: options.dir !== undefined,
      home: io.home,
      userConfig: userConfigFile(io.env, io.home),
      transport,
    })
    // Pending work keeps the process alive; a hanging handle does not.
    setTimeout(() => process.exit(), AFTER_MS).unref()
    return undefined
  },
}

const AFTER_MS = 10_000
const MAX_SHOWN = 300
