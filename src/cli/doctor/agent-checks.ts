import { execFile } from "node:child_process"
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { promisify } from "node:util"
import { HOOK_PROBE } from "../../hosts/hooks/hook-tool.ts"
import { type AgentPlugin, findProgram } from "../install/agent-plugins.ts"
import type { ConfigLocation } from "../install/find-opencode-config.ts"
import type { CliIo } from "../terminal/io.ts"
import { withProgress } from "../terminal/progress.ts"
import { type Check, type Finding, ok, runCheck, skipped, trouble, warning } from "./check.ts"

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
  "See `/mcp` in the agent: those hooks call the MCP server `hivemind`, which has to be connected."

/** Warns about untrusted hooks: some agents skip them silently, and HiveMind would seem to do nothing. */
function trustOf({ title, program }: AgentPlugin, hooks: readonly string[]): Finding {
  if (hooks.length === 0) return ok("you have trusted all hooks")
  return warning(
    `Start \`${program}\` in a terminal and trust the hooks when it asks, or open \`/hooks\` there.`,
    `${title} silently skips hooks that you have not trusted: ${hooks.join(", ")}`,
  )
}

/** Runs the real Claude Code for one turn with a fake model on this machine. Returns the events whose hooks ran. */
async function firedHooks(
  program: string,
  { cwd, env, timeout }: { cwd: string; env: Record<string, string | undefined>; timeout: number },
): Promise<string[]> {
  const fired: string[] = []
  const server = createServer((request, response) => void answer(request, response, fired))
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const used = Object.entries(env).filter(([name]) => !OTHER_MODELS.test(name))
  try {
    const args = ["-p", "--no-session-persistence", "HiveMind checks which hooks run."]
    const ours = {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: "no-key-is-needed",
      [HOOK_PROBE]: `${url}/fired`,
      DISABLE_TELEMETRY: "1",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    }
    await promisify(execFile)(program, args, { cwd, timeout, env: { ...Object.fromEntries(used), ...ours } })
  } finally {
    server.closeAllConnections()
    server.close()
  }
  return [...new Set(fired)]
}

async function answer(request: IncomingMessage, response: ServerResponse, fired: string[]): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString("utf8")
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://127.0.0.1")
  const isAsked = pathname.endsWith("/messages")
  if (pathname === "/fired") fired.push(searchParams.get("event") ?? "")
  if (!isAsked) return void response.setHeader("content-type", "application/json").end('{"input_tokens":1}')
  response.setHeader("content-type", "text/event-stream")
  const isFirst = text.includes('"name":"Bash"') && !text.includes('"tool_result"')
  for (const event of isFirst ? CALL : SAID)
    response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  response.end()
}

const command = JSON.stringify({ command: "echo hivemind", description: "Checks which hooks run" })
const CALL = stream(
  { type: "tool_use", id: "toolu_hivemind_1", name: "Bash", input: {} },
  { type: "input_json_delta", partial_json: command },
  "tool_use",
)
const SAID = stream({ type: "text", text: "" }, { type: "text_delta", text: "Done." }, "end_turn")

function stream(content_block: object, delta: object, stop_reason: string) {
  const usage = { input_tokens: 1, output_tokens: 1 }
  const message = {
    id: "msg_hivemind",
    type: "message",
    role: "assistant",
    model: "none",
    content: [],
    usage,
  }
  return [
    { type: "message_start", message: { ...message, stop_reason: null, stop_sequence: null } },
    { type: "content_block_start", index: 0, content_block },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage },
    { type: "message_stop" },
  ]
}

// Settings of the user that would send requests to another model than our fake one.
const OTHER_MODELS = /^(ANTHROPIC_|CLAUDE_CODE_USE_|CLAUDECODE$|AWS_|https?_proxy$|all_proxy$)/i
