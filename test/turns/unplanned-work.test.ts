import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { type Step, sessionPlayer } from "../support/session-player.ts"

const edit = (n: number): Step => ({
  tool: "write",
  args: { filePath: `src/file-${n}.ts`, content: `export const n = ${n}\n` },
  writes: { [`src/file-${n}.ts`]: `export const n = ${n}\n` },
})
const edits = (count: number, from = 0): Step[] => Array.from({ length: count }, (_, n) => edit(from + n))
const LINE = "belongs to no task"

describe("work without a task, in assisted", () => {
  it("ten edits give one line, and a checkpoint each in the session's inbox task", async () => {
    const { play, state } = await sessionPlayer()
    const { read, warnings } = await play([
      { user: "Please tidy up these ten files." },
      ...edits(5),
      { answer: true },
      { user: "Go on with the rest, please." },
      ...edits(5, 5),
    ])
    expect(read.filter((text) => text.includes(LINE))).toEqual([read[1]])
    expect(read[1]?.split("\n").filter((line) => line.includes("HiveMind"))).toHaveLength(1)
    expect(warnings).toEqual([])
    const { task, checkpoint, trajectory } = state()
    const [inbox, ...others] = task.values()
    expect(others).toEqual([])
    expect(inbox).toMatchObject({ status: "active", purpose: "unplanned", assigned_session_id: "ses_1" })
    expect(Array.from(checkpoint.values(), ({ task_id, files }) => [task_id, ...files])).toEqual(
      Array.from({ length: 10 }, (_, n) => [inbox?.id, `src/file-${n}.ts`]),
    )
    // Nobody has said what the session works on.
    expect([...trajectory.values()].flatMap(({ active_task_ids }) => active_task_ids)).toEqual([])
  })

  it("a task that is started later takes over: what comes then is its own, and the inbox task is over", async () => {
    const { play, state } = await sessionPlayer()
    const update = { action: "update", level: "action", content: "Write the parser" }
    await play([{ user: "Go." }, ...edits(3), { tool: "hivemind_session", args: update }, ...edits(2, 3)])
    const named = () => Object.fromEntries(Array.from(state().task.values(), (each) => [each.title, each]))
    const inbox = named()["Unplanned: src/file-0.ts"]
    const real = named()["Write the parser"]
    expect(inbox).toMatchObject({ status: "completed", evidence: "followed by: Write the parser" })
    expect(real).toMatchObject({ status: "active" })
    const of = (id: string | undefined) =>
      [...state().checkpoint.values()].filter((each) => each.task_id === id)
    expect([of(inbox?.id).length, of(real?.id).length]).toEqual([3, 2])

    // Unplanned again after the task, in the same session: kept, and not spoken of again.
    const fail = { action: "fail", reason: "not wanted any more" }
    const { read } = await play([{ tool: "hivemind_task", args: fail }, ...edits(2, 5)])
    expect(read.join()).not.toContain(LINE)
    const second = named()["Unplanned: src/file-5.ts"]
    expect(second).toMatchObject({ status: "active", parent_plan_id: inbox?.parent_plan_id })
    expect(of(second?.id)).toHaveLength(2)
  })

  it("is over when the session is closed, in the plan for such work", async () => {
    const { play, state } = await sessionPlayer()
    await play([{ user: "Go." }, edit(0)])
    const [inbox] = state().task.values()
    expect(state().plan.get(inbox?.parent_plan_id ?? "")?.title).toBe("Unplanned work")
    await play([{ tool: "hivemind_session", args: { action: "close" } }])
    expect([...state().task.values()]).toMatchObject([
      { status: "completed", evidence: "the session was closed" },
    ])
  })

  it("a subagent's goes to the inbox task of the session that started it", async () => {
    const { play, state } = await sessionPlayer()
    const { read } = await play([
      { user: "Go." },
      edit(0),
      { subagent: "general", prompt: "Write two files.", steps: edits(2, 1) },
      { subagent: "general", prompt: "Write one more.", steps: edits(1, 3) },
    ])
    expect(read.filter((text) => text.includes(`this write ${LINE}`))).toHaveLength(1)
    expect(read.filter((text) => text.includes(`this hand-over ${LINE}`))).toHaveLength(1)
    expect(state().task.size).toBe(1)
    expect(state().checkpoint.size).toBe(4)
  })

  it("an inbox task is no task in strict, and none for the next session", async () => {
    const { play, state } = await sessionPlayer()
    await play([{ user: "Go." }, edit(0)])
    const [inbox] = state().task.keys()
    const { read } = await play([{ user: "Go." }, edit(1)], "ses_2")
    expect(read.join()).toContain(LINE)
    expect([...state().task.keys()]).toHaveLength(2)
    expect([...state().checkpoint.values()].at(-1)?.task_id).not.toBe(inbox)
    const strict = await sessionPlayer({ governance: "strict" })
    expect((await strict.play([{ user: "Go." }, edit(0)])).read.join()).toContain("has no active task")
    expect(strict.state().task.size).toBe(0)
  })

  it("where HiveMind is not in use: the line comes once, and nothing is written", async () => {
    const { dir, play } = await sessionPlayer({}, { isUsed: false })
    const { read } = await play([{ user: "Go." }, ...edits(3)])
    expect(read.filter((text) => text.includes(LINE))).toHaveLength(1)
    expect(existsSync(join(dir, ".hivemind", "graph"))).toBe(false)
  })
})
