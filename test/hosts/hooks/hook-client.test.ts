import { spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { rmSync } from "node:fs"
import { createServer } from "node:net"
import { text } from "node:stream/consumers"
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest"
import { codex } from "../../../src/hosts/hooks/codex.ts"
import { hookServer } from "../../../src/hosts/hooks/hook-service.ts"
import { bundles } from "../../../src/hosts/hooks/plugin-folders.ts"
import { askServer, listenForHooks } from "../../../src/hosts/hooks/socket.ts"
import { createLayout } from "../../../src/store/files/layout.ts"
import { gitRepo } from "../../support/git-repo.ts"
import { CLI } from "../../support/mcp-client.ts"
import { tempProject } from "../../support/temp-project.ts"

// This process stands for the agent: its hooks look for a server of their parent.
const FILES = `/tmp/hivemind-${process.getuid?.()}/${process.pid}`
let dir: string

beforeEach(async () => {
  dir = gitRepo(await tempProject(), { "a.txt": "a" })
  await createLayout(dir)
})
afterEach(() => {
  for (const end of ["sock", "pid", "hangs"]) rmSync(`${FILES}.${end}`, { force: true })
})

async function judged(command = process.execPath, args = [CLI, "hook", "claude"]): Promise<string> {
  const child = spawn(command, args, {
    env: {
      ...process.env,
      HOME: dir,
      CLAUDE_PROJECT_DIR: dir,
      CLAUDE_PLUGIN_ROOT: `${CLI}/../../agents/claude`,
    },
    stdio: ["pipe", "pipe", "inherit"],
  })
  const tool_input = { command: "git push --force" }
  const call = { tool_name: "Bash", tool_input, tool_use_id: "toolu_1", session_id: "ses_1", cwd: dir }
  child.stdin.end(JSON.stringify({ hook_event_name: "PreToolUse", ...call }))
  return text(child.stdout)
}

async function hangingServer() {
  const running = await listenForHooks(process.pid, async () => "")
  running.close()
  const asked: unknown[] = []
  const server = createServer((connection) => asked.push(connection))
  await new Promise<void>((done) => server.listen(`${FILES}.sock`, done))
  onTestFinished(() => void server.close())
  return asked
}

describe("a hook", () => {
  it("judges a call by itself if no server runs", async () => {
    expect(await judged()).toContain('"permissionDecision":"deny"')
  })

  it("judges calls by itself after a timeout, and does not ask that server again for a while", async () => {
    const asked = await hangingServer()
    expect(await judged()).toContain('"permissionDecision":"deny"')
    expect(await judged()).toContain('"permissionDecision":"deny"')
    expect(asked).toHaveLength(1)
  })

  it("leaves a call to the running server", async () => {
    const server = await listenForHooks(process.pid, async () => "the server's answer")
    onTestFinished(server.close)
    expect(await judged()).toBe("the server's answer")
  })

  it.skipIf(process.platform === "win32")(
    "of Claude Code stands in for a server that is not there",
    async () => {
      const { hooks } = JSON.parse(bundles("1.0.0")["claude"]?.["hooks/hooks.json"] ?? "")
      const { command } = hooks.PreToolUse[0].hooks[1]
      expect(await judged("sh", ["-c", command])).toContain('"permissionDecision":"deny"')
      const server = await listenForHooks(process.pid, async () => "asked")
      onTestFinished(server.close)
      expect(await judged("sh", ["-c", command])).toBe("asked")
      server.isCalled()
      expect(await judged("sh", ["-c", command])).toBe("")
    },
  )
})

it("a server answers an event once: to the stand-in until the agent calls the server, then to the agent", async () => {
  const onError = (error: unknown) => expect.unreachable(String(error))
  const given = { directory: dir, home: dir, userConfig: null, onError }
  const server = await hookServer(codex, process.ppid, given)
  onTestFinished(() => server.close())
  const payload = { hook_event_name: "UserPromptSubmit", session_id: "ses_1", cwd: dir, transcript_path: "" }
  const brought = (prompt: string, turn_id: string) =>
    askServer({ agent: "codex", directory: dir, payload: { ...payload, prompt, turn_id } }, 60_000)
  const called = (prompt: string, turn_id: string) =>
    server.answer({ name: "hook", arguments: { ...payload, prompt, turn_id } })
  const [first, second] = [randomUUID(), randomUUID()]
  expect(await brought("Go on", first)).toContain("<hivemind_state>")
  expect(await called("Go on", first)).toBe("")
  expect(await called("From now on use pnpm.", second)).toContain("pnpm")
  expect(await brought("From now on use pnpm.", second)).toBe("")
})
