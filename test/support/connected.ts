import { execFile } from "node:child_process"
import { onTestFinished } from "vitest"
import { connect } from "../../src/hosts/connect.ts"
import { readCall } from "../../src/hosts/opencode/calls.ts"
import { anyCommand } from "../tools/call-tool.ts"
import { stateIn } from "./state-in.ts"

export interface ConnectedCall {
  tool: string
  args?: Record<string, unknown>
  run?: () => unknown
  session?: string
  agent?: string
  exit?: number
  said?: string
}

/** HiveMind without a host: calls go through the gate and the steps after it. `parents`: a subagent's parent session. */
export function connectedAt(
  dir: string,
  options: Record<string, unknown> = {},
  parents: Readonly<Record<string, string>> = {},
) {
  const toasts: string[] = []
  const hivemind = connect({
    directory: dir,
    home: "/dev/null/home",
    userConfig: null,
    isConfig: () => false,
    // The usual limit may pass on a busy machine.
    options: { ...options, snapshots: { seconds: 60, ...(options["snapshots"] as object | undefined) } },
    parentOf: async (session) => parents[session] ?? null,
    lastAnswer: async () => "",
    lastSummary: async () => "",
    lastAnswers: async () => [],
    toast: async (message) => void toasts.push(message),
    endSession: async () => {},
    startSession: async () => "ses_new",
  })
  onTestFinished(() => hivemind.close())
  let calls = 0

  async function begin(given: ConnectedCall) {
    const { tool, args = {}, session = "ses_1", agent = "build", exit = 0, said = "" } = given
    const call = { id: `call_${calls++}`, session, agent, tool }
    const refusal = await hivemind.beforeCall(readCall({ ...call, args }))
    const ended = { ok: true, exit, said, isSilent: false, isStopped: false, child: null }
    return { id: call.id, refusal, end: () => hivemind.afterCall({ ...call, ...ended }) }
  }

  async function whole(
    call: ConnectedCall,
    run: () => unknown,
  ): Promise<{ refusal?: string; notes: string }> {
    const { refusal, end } = await begin(call)
    if (refusal !== undefined) return { refusal, notes: "" }
    await run()
    return { notes: (await end()).notes.join("\n") }
  }

  async function own(name: string, args: Record<string, unknown>, session = "ses_1") {
    const tool = hivemind.tools.find((each) => each.name === `hivemind_${name}`)
    if (tool === undefined) throw new Error(`no tool ${name}`)
    const { refusal, end } = await begin({ tool: tool.name, args, session })
    if (refusal !== undefined) return { status: "refused", refusal }
    const reply = await hivemind.runTool(tool, { session, agent: "build", running: anyCommand }, args)
    await end()
    return JSON.parse(JSON.stringify(reply))
  }

  async function planned(task: object, session?: string): Promise<string> {
    const { entity_id } = await own("plan", { action: "create", title: "P", acceptance: [] }, session)
    const tasks = [{ expected_output: "x", ...task }]
    const reply = await own("plan", { action: "plan_tasks", plan_id: entity_id, tasks }, session)
    return reply.tasks[0].entity_id
  }

  return {
    hivemind,
    toasts,
    begin,
    call: (call: ConnectedCall) => whole(call, () => call.run?.()),
    bash: (command: string, more: Partial<ConnectedCall> = {}) =>
      whole(
        { tool: "bash", args: { command }, ...more },
        () => new Promise((resolve) => execFile("bash", ["-c", command], { cwd: dir }, resolve)),
      ),
    own,
    planned,
    state: () => stateIn(dir),
  }
}
