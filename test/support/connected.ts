import { execFile } from "node:child_process"
import { onTestFinished } from "vitest"
import { connect } from "../../src/hosts/connect.ts"
import { readCall } from "../../src/hosts/opencode/calls.ts"
import { anyCommand } from "../tools/call-tool.ts"
import { stateIn } from "./state-in.ts"

export interface ConnectedCall {
  tool: string
  args?: Record<string, unknown>
  /** What the tool does between the two hooks. */
  run?: () => unknown
  session?: string
  agent?: string
  /** The exit of a command; 0 where it is left out. */
  exit?: number
  /** What it printed. */
  said?: string
}

/**
 * HiveMind as a host has it, in a folder of a test, without a host: calls go through the gate and the steps after it.
 * `parents`: the sessions above, by subagent.
 */
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

  /** Begins a call; returns what ends it. */
  async function begin({
    tool,
    args = {},
    session = "ses_1",
    agent = "build",
    exit = 0,
    said = "",
  }: ConnectedCall) {
    const id = `call_${calls++}`
    const refusal = await hivemind.beforeCall(readCall({ id, session, agent, tool, args }))
    const end = () =>
      hivemind.afterCall({
        ...{ id, session, agent, tool, ok: true, exit, said, isSilent: false, isStopped: false },
        child: null,
      })
    return { id, refusal, end }
  }

  return {
    hivemind,
    toasts,
    begin,
    /** A whole call: what it was refused with, or what the model reads after it. */
    async call(call: ConnectedCall): Promise<{ refusal?: string; notes: string }> {
      const { refusal, end } = await begin(call)
      if (refusal !== undefined) return { refusal, notes: "" }
      await call.run?.()
      return { notes: (await end()).notes.join("\n") }
    },
    /** A shell command, really run in the folder. */
    async bash(
      command: string,
      more: Partial<ConnectedCall> = {},
    ): Promise<{ refusal?: string; notes: string }> {
      const { refusal, end } = await begin({ tool: "bash", args: { command }, ...more })
      if (refusal !== undefined) return { refusal, notes: "" }
      await new Promise((resolve) => execFile("bash", ["-c", command], { cwd: dir }, resolve))
      return { notes: (await end()).notes.join("\n") }
    },
    /** A tool of ours, through the gate as any call. */
    async own(name: string, args: Record<string, unknown>, session = "ses_1") {
      const tool = hivemind.tools.find((each) => each.name === `hivemind_${name}`)
      if (tool === undefined) throw new Error(`no tool ${name}`)
      const { refusal, end } = await begin({ tool: tool.name, args, session })
      if (refusal !== undefined) return { status: "refused", refusal }
      const reply = await hivemind.runTool(tool, { session, agent: "build", running: anyCommand }, args)
      await end()
      return JSON.parse(JSON.stringify(reply))
    },
    /** The graph as another process reads it. */
    state: () => stateIn(dir),
  }
}
