import { userConfigFile } from "../hive/load-config.ts"
import { HOOK_AGENTS, hookAgent } from "../hosts/hooks/agents.ts"
import type { HookServer } from "../hosts/hooks/hook-server.ts"
import { projectFolder } from "../hosts/hooks/hook-tool.ts"
import { shorten } from "../shared/text/clean.ts"
import { ownPackage } from "./install/own-package.ts"
import type { CliCommand } from "./terminal/command.ts"
import type { CliIo } from "./terminal/io.ts"
import { choiceOption } from "./terminal/options.ts"

interface McpOptions {
  dir?: string
  agent?: string
}

/** Serves one client over standard input and output until it disconnects. Nothing but the protocol is printed. */
export const command: CliCommand<McpOptions> = {
  configure(mcp) {
    mcp.addOption(
      choiceOption(
        "--agent <agent>",
        "answer the hooks of the agent that starts it, too",
        HOOK_AGENTS.map(({ name }) => name),
      ),
    )
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
    const userConfig = userConfigFile(io.env, io.home)
    const hooks = await hooksOf(options.agent, {
      directory: options.dir === undefined ? projectFolder(io.env) : dir,
      userConfig,
      io,
    })
    await serveMcp({
      version: ownPackage().version,
      dir,
      isDirGiven: options.dir !== undefined,
      home: io.home,
      userConfig,
      transport,
      ...(hooks !== undefined && { hooks }),
    })
    await hooks?.close()
    // Pending work keeps the process alive; a hanging handle does not.
    setTimeout(() => process.exit(), AFTER_MS).unref()
    return undefined
  },
}

/** The hooks are answered at once: the agent may fire one before it speaks MCP. */
async function hooksOf(
  name: string | undefined,
  { directory, userConfig, io }: { directory: string | undefined; userConfig: string; io: CliIo },
): Promise<HookServer | undefined> {
  const agent = hookAgent(name ?? "")
  if (agent === undefined) return undefined
  const { hookServer } = await import("../hosts/hooks/hook-server.ts")
  const onError = (error: unknown) =>
    io.stderr.write(`hivemind mcp: no socket for hooks: ${shorten(String(error), MAX_SHOWN)}\n`)
  return hookServer(agent, process.ppid, { directory, home: io.home, userConfig, onError })
}

const AFTER_MS = 10_000
const MAX_SHOWN = 300
