import { onTestFinished } from "vitest"
import { hookService } from "../../../src/hosts/hooks/hook-service.ts"
import { createLayout } from "../../../src/store/files/layout.ts"
import { gitRepo } from "../../support/git-repo.ts"
import { stateIn } from "../../support/state-in.ts"
import { tempProject } from "../../support/temp-project.ts"

export async function claudeIn(files: Record<string, string> = { "a.txt": "a\n" }) {
  const dir = gitRepo(await tempProject(), files)
  await createLayout(dir)
  const limit = { ms: 60_000 }
  const service = hookService({ home: await tempProject(), userConfig: null, limitMs: () => limit.ms })
  onTestFinished(() => service.close())
  let calls = 0
  const send = async (event: string, payload: Record<string, unknown> = {}) => {
    const whole = { session_id: "ses_1", transcript_path: "", cwd: dir, hook_event_name: event, ...payload }
    return service.answer({ agent: "claude", directory: dir, payload: whole })
  }
  return {
    dir,
    service,
    limit,
    send,
    state: () => stateIn(dir),
    async shown(event: string, payload: Record<string, unknown> = {}): Promise<string> {
      const answer = await send(event, payload)
      return answer === "" ? "" : (JSON.parse(answer).hookSpecificOutput?.additionalContext ?? "")
    },
    async run(tool: string, args: Record<string, unknown>): Promise<Record<string, unknown>> {
      const id = `toolu_${++calls}`
      const name = `mcp__plugin_hivemind_hivemind__hivemind_${tool}`
      await send("PreToolUse", { tool_name: name, tool_input: args, tool_use_id: id })
      const caller = service.callerOf(id, `hivemind_${tool}`)
      if (caller === undefined) throw new Error(`nobody has called ${tool}`)
      const { hivemind, session, agent } = caller
      const found = hivemind.tools.find((each) => each.name === `hivemind_${tool}`)
      if (found === undefined) throw new Error(`there is no ${tool}`)
      const never = () => Promise.reject(new Error("not in this test"))
      const running = { mayRun: never, mayStart: never, show: () => {}, signal: new AbortController().signal }
      return { ...(await hivemind.runTool(found, { session, agent, running }, args)) }
    },
    /** A call with its events, and what it does in between; returns why it was denied, or "". */
    async call(
      tool_name: string,
      tool_input: Record<string, unknown>,
      run: () => unknown = () => {},
      of = {},
    ) {
      const payload = { tool_name, tool_input, tool_use_id: `toolu_${++calls}`, ...of }
      const answer = await send("PreToolUse", payload)
      const denied = answer === "" ? "" : JSON.parse(answer).hookSpecificOutput.permissionDecisionReason
      if (denied === "") {
        await run()
        await send("PostToolUse", { ...payload, tool_response: { stdout: "", stderr: "" } })
      }
      return denied
    },
  }
}
