import { userConfigFile } from "../hive/load-config.ts"
import { HOOK_AGENTS, hookAgent } from "../hosts/hooks/agents.ts"
import type { HookServer } from "../hosts/hooks/hook-service.ts"
import { projectFolder } from "../hosts/hooks/hook-tool.ts"
import { shorten } from "../shared/text/clean.ts"
import { ownPackage } from "./install/own-package.ts"
import type { CliCommand } from "./terminal/command.ts"
import { choiceOption } from "./terminal/options.ts"

/** Serves one client over standard input and output until it disconnects. Nothing but the protocol is printed. */
export const command: CliCommand<{ dir?: string; agent?: string }> = {
  configure(mcp) {
    const agents = HOOK_AGENTS.map(({ name }) => name)
    mcp.addOption(choiceOption("--agent <agent>", "also serve the hooks of that agent", agents))
  },

  help: `Agents start this themselves after \`hivemind init --mcp <client>\`. It works in the folder that the client names,
or else in the folder where it was started.`,

  async run({ dir, options, io }) {
    const [{ serveMcp }, { StdioServerTransport }] = await Promise.all([
      import("../hosts/mcp/serve.ts"),
      import("../hosts/mcp/sdk.ts"),
    ])
    const tell = (text: string) => io.stderr.write(`hivemind mcp: ${shorten(text, 300)}\n`)
    const exitSoon = () => setTimeout(() => process.exit(), 10_000).unref()
    const transport = new StdioServerTransport()
    // A message that is too long ends the connection. The reason is printed for the client's log.
    transport.onerror = ({ message }) => tell(message)
    // A killed client does not close its connection, but its session must still end.
    const end = () => void transport.close()
    process.stdin.once("end", end).once("close", end)
    io.onReaderGone?.(end)
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const)
      process.once(signal, () => {
        end()
        exitSoon()
      })
    const { home } = io
    const userConfig = userConfigFile(io.env, home)
    const isDirGiven = options.dir !== undefined
    // The hook server starts first: the agent may call a hook before it connects over MCP.
    const agent = hookAgent(options.agent ?? "")
    let hooks: HookServer | undefined
    if (agent !== undefined) {
      const { hookServer } = await import("../hosts/hooks/hook-service.ts")
      const onError = (error: unknown) => tell(`could not open the socket for hooks: ${String(error)}`)
      const directory = isDirGiven ? dir : projectFolder(io.env)
      hooks = await hookServer(agent, process.ppid, { directory, home, userConfig, onError })
    }
    const place = { dir, isDirGiven, home, userConfig, transport }
    await serveMcp({ version: ownPackage().version, ...place, ...(hooks !== undefined && { hooks }) })
    await hooks?.close()
    // Pending work gets ten seconds to finish. Then the process ends, even if a socket or timer is still open.
    exitSoon()
    return undefined
  },
}
