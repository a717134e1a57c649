import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { type AgentPlugin, findProgram } from "../install/agent-plugins.ts"
import type { ConfigLocation } from "../install/find-opencode-config.ts"
import type { CliIo } from "../terminal/io.ts"
import { withProgress } from "../terminal/progress.ts"
import { type Check, type Finding, ok, runCheck, skipped, trouble, warning } from "./check.ts"
import { firedHooks } from "./start-claude.ts"

export async function checkAgent(
  agent: AgentPlugin,
  location: ConfigLocation,
  io: CliIo,
  startMs: number | null,
): Promise<Check[]> {
  const { env, projectDir } = location
  const { title, program: name } = agent
  const program = findProgram(agent, env)
  const version = await runCheck(title.toLowerCase(), async () => {
    if (program === undefined)
      return trouble(
        `Install ${title}, or run \`hivemind uninstall --agent ${agent.name}\`.`,
        `no \`${name}\` on your PATH`,
      )
    const { stdout } = await promisify(execFile)(program, ["--version"], { env, timeout: 10_000 })
    return ok(`${stdout.trim()} (${program})`)
  })
  const { untrusted } = agent
  if (untrusted !== undefined)
    return [version, await runCheck(`${name} hooks`, async () => trustOf(agent, await untrusted(location)))]
  if (program === undefined || agent.expects === undefined) return [version]
  const expected = agent.expects
  const fired = await runCheck(`${name} hooks`, async () => {
    if (startMs === null) return skipped("not tried (--no-start)")
    const events = await withProgress(`starting ${title}`, io, () =>
      firedHooks(program, { cwd: projectDir, env, timeout: startMs }),
    )
    const missing = expected.filter((event) => !events.includes(event))
    if (events.length === 0) return trouble(NONE_FIRED, "none of HiveMind's hooks ran")
    return missing.length === 0
      ? ok(events.join(", "))
      : warning(SOME_FIRED, `ran: ${events.join(", ")}`, `did not run: ${missing.join(", ")}`)
  })
  return [version, fired]
}

const NONE_FIRED =
  "See `/plugin` and `/hooks` in the agent: the plugin may be disabled, or hooks switched off (`disableAllHooks`)."
const SOME_FIRED =
  "See `/mcp` in the agent: those hooks are calls of the server `hivemind`, which has to be connected."

/** Warns about untrusted hooks: some agents skip them silently, and HiveMind would seem to do nothing. */
function trustOf({ title, program }: AgentPlugin, hooks: readonly string[]): Finding {
  if (hooks.length === 0) return ok("you have trusted all hooks")
  return warning(
    `Start \`${program}\` in a terminal and trust the hooks when it asks, or open \`/hooks\` there.`,
    `${title} silently skips hooks that you have not trusted: ${hooks.join(", ")}`,
  )
}
