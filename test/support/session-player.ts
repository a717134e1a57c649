import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, onTestFinished, vi } from "vitest"
import { openCodePlugin } from "../../src/hosts/opencode/plugin.ts"
import { systemSource } from "../../src/shared/ids.ts"
import { openFileStore } from "../../src/store/file-store.ts"
import { tempProject } from "./temp-project.ts"

/** One thing that happens in a session, as data. */
export type Step =
  | { user: string }
  /** The model has answered and the turn is over. */
  | { answer: true }
  /** A tool that ran. `writes`: a file it leaves behind, below the project. */
  | {
      tool: string
      args?: Record<string, unknown>
      exit?: number
      output?: string
      writes?: Record<string, string>
      removes?: readonly string[]
    }
  /** A tool that failed by itself. */
  | { fails: string; args?: Record<string, unknown>; error: string }
  /** A subagent's session: its steps run with an agent and a session of their own. */
  | { subagent: string; prompt: string; steps: readonly Step[] }

export interface Played {
  /** What the model read: results of tools, refusals, and what came with each user message. */
  read: string[]
  /** Every warning that the model read, by its name, in order. */
  warnings: string[]
}

/**
 * HiveMind's hooks as OpenCode calls them, without OpenCode: sessions are played from data. A step takes some seconds of
 * a clock that only the player moves.
 */
export async function sessionPlayer(options: Record<string, unknown> = {}, { isUsed = true } = {}) {
  const dir = await tempProject()
  if (isUsed) mkdirSync(join(dir, ".hivemind", "graph"), { recursive: true })
  let now = Date.parse("2026-03-02T09:00:00Z")
  const clock = vi.spyOn(systemSource, "now").mockImplementation(() => now)
  const client = { config: { providers: async () => ({ data: { providers: [] } }) } }
  // What is played changes no file.
  const settings = { snapshots: { enabled: false }, ...options }
  const hooks = await openCodePlugin({ directory: dir, worktree: dir, client } as never, settings)
  onTestFinished(async () => {
    await hooks.dispose?.()
    await reader.close()
    clock.mockRestore()
  })
  let ids = 0
  const begun = new Set<string>()
  const messages: { info: Record<string, unknown>; parts: { text: string }[] }[] = []

  const event = (type: string, properties: unknown) => hooks.event?.({ event: { type, properties } } as never)
  const reader = openFileStore(dir, { source: systemSource })
  const state = () => reader.read().state
  const counted = (session: string) =>
    Object.entries(state().metrics.get(session)?.counts ?? {})
      .filter(([name]) => name.startsWith("calls "))
      .reduce((sum, [, count]) => sum + count, 0)

  function begin(session: string, parent?: string): void {
    if (begun.has(session)) return
    begun.add(session)
    void event("session.created", { info: { id: session, parentID: parent, time: { created: now } } })
  }

  async function say(session: string, agent: string, text: string): Promise<string> {
    const id = `msg_${ids++}`
    const info = { id, sessionID: session, role: "user", agent, model: { providerID: "p", modelID: "m" } }
    const parts = [{ id: `prt_${id}`, sessionID: session, messageID: id, type: "text", text }]
    await hooks["chat.message"]?.({ sessionID: session } as never, { message: info, parts } as never)
    const output = {
      messages: [...messages.filter((each) => each.info["sessionID"] === session), { info, parts }],
    }
    messages.push({ info, parts })
    await hooks["experimental.chat.messages.transform"]?.({} as never, output as never)
    return (
      output.messages
        .at(-1)
        ?.parts.map((part) => part.text)
        .join("\n")
        .replace(text, "") ?? ""
    )
  }

  /** A refused or failed call: the host tells of it with an event, and it counts soon after. */
  async function failed(
    session: string,
    tool: string,
    callID: string,
    input: unknown,
    error: string,
  ): Promise<void> {
    const before = counted(session)
    const state = { status: "error", input, error, time: { start: now, end: now } }
    await event("message.part.updated", { part: { type: "tool", callID, sessionID: session, tool, state } })
    await expect.poll(() => counted(session), { interval: 5 }).toBe(before + 1)
  }

  async function call(
    session: string,
    agent: string,
    step: Extract<Step, { tool: string }>,
  ): Promise<string> {
    const { tool, args = {}, exit = 0, output: text = "ok", writes = {}, removes = [] } = step
    const callID = `call_${ids++}`
    try {
      await hooks["tool.execute.before"]?.({ tool, sessionID: session, callID }, { args })
    } catch (error) {
      const refusal = error instanceof Error ? error.message : String(error)
      await failed(session, tool, callID, args, refusal)
      return refusal
    }
    for (const [path, content] of Object.entries(writes)) {
      mkdirSync(join(dir, path, ".."), { recursive: true })
      writeFileSync(join(dir, path), content)
    }
    for (const path of removes) rmSync(join(dir, path))
    const own = hooks.tool?.[tool]
    const said = own && (await own.execute(args as never, { sessionID: session, agent, callID } as never))
    const output = {
      title: tool,
      output: said === undefined ? text : typeof said === "string" ? said : said.output,
      metadata: tool === "bash" ? { exit } : {},
    }
    await hooks["tool.execute.after"]?.({ tool, sessionID: session, callID, args }, output)
    return output.output
  }

  /** Plays steps and returns what the model read. */
  async function play(
    steps: readonly Step[],
    session = "ses_1",
    agent = "build",
    parent?: string,
  ): Promise<Played> {
    begin(session, parent)
    const read: string[] = []
    for (const step of steps) {
      now += "user" in step ? 60_000 : 7_000
      if ("user" in step) read.push(await say(session, agent, step.user))
      else if ("answer" in step) await endTurn(session)
      else if ("fails" in step)
        await failed(session, step.fails, `call_${ids++}`, step.args ?? {}, step.error)
      else if ("subagent" in step) read.push(...(await delegate(session, agent, step)))
      else read.push(await call(session, agent, step))
    }
    return { read, warnings: read.flatMap(warningsIn) }
  }

  async function delegate(session: string, agent: string, step: Extract<Step, { subagent: string }>) {
    const child = `ses_child_${ids++}`
    const args = { subagent_type: step.subagent, description: step.prompt, prompt: step.prompt }
    const { read } = await play([{ user: step.prompt }, ...step.steps], child, step.subagent, session)
    return [...read, await call(session, agent, { tool: "task", args, output: "done" })]
  }

  async function endTurn(session: string): Promise<void> {
    const info = { id: `msg_${ids++}`, sessionID: session, role: "assistant", finish: "stop" }
    await event("message.updated", { info: { ...info, time: { created: now, completed: now } } })
    await event("session.idle", { sessionID: session })
  }

  return { dir, play, state }
}

function warningsIn(text: string): string[] {
  const inReply = /"drift_warnings":\{([^}]*)\}/.exec(text)?.[1] ?? ""
  return [
    ...[...text.matchAll(/<warning id="(\w+)"/g)].map(([, name]) => name ?? ""),
    ...[...inReply.matchAll(/"(\w+)":"/g)].map(([, name]) => name ?? ""),
  ]
}
