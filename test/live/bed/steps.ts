import type { ServerResponse } from "node:http"
import type { ModelRequest } from "./model-request.ts"

interface ToolCall {
  tool: string
  args: Record<string, unknown>
}

/** Token counts as the provider reports them; `input` includes `cached`. */
export interface Usage {
  input: number
  output: number
  cached?: number
}

/** Small, so that it fills no context window. */
export const DEFAULT_USAGE: Usage = { input: 100, output: 10 }

/** Writes a step in the form of one provider's answers. */
export type WriteStep = (
  response: ServerResponse,
  model: string,
  step: Step,
  newCallId: () => string,
  isStreamed: boolean,
) => Promise<void>

export interface Step {
  text?: string
  calls?: ToolCall[]
  usage?: Usage
  /** Holds the answer back after its text and before its tool calls, until released. */
  pause?: Pause
  /** An HTTP error. The host retries 429 and 5xx, and each retry takes the next step; other codes end the turn. */
  error?: { status: number; message: string }
}

/** A step, or a function of the request, for answers that need an id from an earlier tool reply. */
export type StepSource = Step | ((request: ModelRequest) => Step)

type Extra = Pick<Step, "text" | "usage" | "pause">

export const say = (text: string, extra: Extra = {}): Step => ({ text, ...extra })

export const call = (tool: string, args: Record<string, unknown> = {}, extra: Extra = {}): Step => ({
  calls: [{ tool, args }],
  ...extra,
})

export const bash = (command: string): Step => call("bash", { command, description: "run it" })
export const write = (filePath: string, content = "x"): Step => call("write", { filePath, content })
export const read = (filePath: string): Step => call("read", { filePath })

/** Moves the session to a plan (`trajectory`), phase (`tactic`) or task (`action`). */
export const update = (level: string, content: string): Step =>
  call("hivemind_session", { action: "update", level, content })

export const save = (content: string, kind?: string): Step =>
  call("hivemind_memory", { action: "save", content, ...(kind !== undefined && { kind }) })

/** The reply to the newest tool call of a request, or to the n-th one. */
export const replied = (request: ModelRequest, n = -1) => {
  const output = request.toolOutputs.at(n) ?? "{}"
  // Other agents than OpenCode put lines of their own around it.
  return JSON.parse(/^\{.*\}$/m.exec(output)?.[0] ?? output)
}

/** The steps that make a plan with these tasks, and start the first one. */
export const planAndStart = (...tasks: { title: string; [more: string]: unknown }[]): StepSource[] => [
  ...planTasks(...tasks),
  (request) => call("hivemind_task", { action: "start", task_id: replied(request).tasks[0].entity_id }),
]

export const planTasks = (...tasks: { title: string; [more: string]: unknown }[]): StepSource[] => [
  call("hivemind_plan", { action: "create", title: "P", acceptance: [] }),
  (request) =>
    call("hivemind_plan", {
      action: "plan_tasks",
      plan_id: replied(request).entity_id,
      tasks: tasks.map((task) => ({ expected_output: "x", ...task })),
    }),
]

/** A call of a tool of HiveMind with its action: `hive("memory save", { … })`. */
export const hive = (name: string, args: Record<string, unknown> = {}, extra: Extra = {}): Step => {
  const [tool, action] = name.split(" ")
  return call(`hivemind_${tool}`, { action, ...args }, extra)
}

/** Several tool calls in one answer: `calls(call("read", …), call("bash", …))`; the last one's extras hold. */
export const calls = (...steps: Step[]): Step => ({
  ...steps.at(-1),
  calls: steps.flatMap((step) => step.calls ?? []),
})

/** Stops an answer in the middle of a turn, for tests that abort, kill or look on. */
export interface Pause {
  /** Resolves when the model has been asked and holds its answer. */
  reached: Promise<void>
  release: () => void
  hold: () => Promise<void>
}

export function pause(): Pause {
  let [arrive, release] = [() => {}, () => {}]
  const reached = new Promise<void>((resolve) => (arrive = resolve))
  const released = new Promise<void>((resolve) => (release = resolve))
  const hold = () => {
    arrive()
    return released
  }
  return { reached, release, hold }
}
