import { spawn, spawnSync } from "node:child_process"
import { mkdirSync, realpathSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { activeTask } from "../../../src/gate/active-task.ts"
import { analyzeCall } from "../../../src/gate/call.ts"
import { readCall } from "../../../src/hosts/opencode/calls.ts"
import { thisProcess } from "../../../src/shared/process-identity.ts"
import { bindSubagent } from "../../../src/work/delegation/assign.ts"
import { keptLock } from "../../../src/work/task/holder.ts"
import { adoptTask } from "../../../src/work/task/start.ts"
import { memoryHive } from "../../support/hive.ts"
import { tempProject } from "../../support/temp-project.ts"
import { callTool, planned } from "../../tools/call-tool.ts"

type State = "busy" | "idle" | "gone"

async function heldTask(says?: (session: string) => State) {
  const hive = memoryHive()
  if (says !== undefined) hive.sessionState = async (session) => says(session)
  const [id = ""] = (await planned(hive, [{ title: "Totals" }])).ids
  await callTool(hive, "task", { action: "start", task_id: id })
  const by = (session: string, tool: string, args: object, agent = "build") =>
    callTool(hive, tool, args, session, agent)
  return { hive, id, by, task: () => hive.store.read().state.task.get(id) }
}

const endings = (task_id: string) => [
  { action: "complete", task_id, evidence: "done" },
  { action: "fail", task_id, reason: "no use" },
  { action: "review", task_id },
]
const toTask = { action: "update", level: "action", content: "Totals" }

describe("a task that a session is at work on", () => {
  it("is not ended, started, assigned or taken over by another", async () => {
    const { id, by, task } = await heldTask()
    await by("ses_2", "session", { action: "start", intent: "Something else" })
    for (const ending of endings(id))
      expect(await by("ses_2", "task", ending), ending.action).toMatchObject({ code: "conflict" })
    expect(await by("ses_2", "task", { action: "start", task_id: id })).toMatchObject({ code: "conflict" })
    expect(await by("ses_2", "session", toTask)).toMatchObject({ code: "conflict" })
    const assign = { action: "assign", task_id: id, to: "hive-executor" }
    expect(await by("ses_2", "delegate", assign)).toMatchObject({ code: "conflict" })
    expect(task()).toMatchObject({ status: "active", assigned_session_id: "ses_1" })
  })

  it("goes to the session that resumes the holder, once the holder is idle", async () => {
    const { id, by } = await heldTask(() => "idle")
    expect(await by("ses_2", "task", endings(id)[1] ?? {})).toMatchObject({ code: "conflict" })
    await by("ses_2", "session", { action: "resume", session: "ses_1" })
    expect(await by("ses_2", "task", endings(id)[1] ?? {})).toMatchObject({ status: "success" })
  })
})

it.each(["delegated", "its own"])(
  "a subagent's task, %s, can be ended by the parent alone",
  async (whose) => {
    const { hive, id, by, task } = await heldTask(() => "busy")
    if (whose === "delegated")
      await by("ses_1", "delegate", { action: "assign", task_id: id, to: "hive-executor" })
    else await by("ses_1", "task", endings(id)[1] ?? {})
    const child = { session: "ses_child", agent: "hive-executor", tool: "chat.message" }
    await bindSubagent(hive, child, { session: "ses_1", agent: "build" }, "Do it")
    if (whose === "its own") await by("ses_child", "task", { action: "start", task_id: id }, "hive-executor")
    expect(task()).toMatchObject({ status: "active", assigned_session_id: "ses_child" })
    expect(await by("ses_2", "task", endings(id)[1] ?? {})).toMatchObject({ code: "conflict" })
    expect(await by("ses_1", "task", endings(id)[1] ?? {})).toMatchObject({ status: "success" })
  },
)

describe("a session is dead", () => {
  const assign = (task_id: string) => ({ action: "assign", task_id, to: "hive-executor" })

  it("an hour after its last activity, and not before", async () => {
    const { hive, id, by } = await heldTask()
    const callsNow = () =>
      hive.store.append({ tool: "test", session: "ses_1", agent: null }, (tx) =>
        tx.register("ses_1", "minute_began", hive.source.now()),
      )
    await callsNow()
    hive.source.seconds += 3540
    expect(await by("ses_2", "delegate", assign(id))).toMatchObject({ code: "conflict" })
    // A call of any tool shows that the session is active.
    await callsNow()
    hive.source.seconds += 120
    expect(await by("ses_2", "delegate", assign(id))).toMatchObject({ code: "conflict" })
    hive.source.seconds += 3600
    expect(await by("ses_2", "delegate", assign(id))).toMatchObject({ status: "success" })
  })

  it.each([
    ["four hours after its last activity, if its calls are not recorded", 240, undefined],
    ["a quarter of an hour later, where the host does not know it: it may be another's", 15, "gone"],
  ] as const)("%s", async (_, minutes, says) => {
    const { hive, id, by } = await heldTask(says && (() => says))
    hive.source.seconds += minutes * 60 - 60
    expect(await by("ses_2", "delegate", assign(id))).toMatchObject({ code: "conflict" })
    hive.source.seconds += 120
    expect(await by("ses_2", "delegate", assign(id))).toMatchObject({ status: "success" })
  })

  it("the next session that writes without a task takes up the task of a closed session, not of one that ended with its host", async () => {
    const { hive, id, by, task } = await heldTask()
    const adopt = async () => {
      const { state } = hive.store.read()
      const args = { filePath: "src/a.ts" }
      const call = readCall({ id: "call_1", tool: "write", args, agent: "build", session: "ses_2" })
      const read = () => expect.unreachable()
      const judged = analyzeCall(call, { projectDir: "/shop", directory: "/shop", read })
      return activeTask(state, judged).inherited
    }
    expect(await adopt()).toBe(false)
    await hive.store.append({ tool: "test", session: "ses_1", agent: null }, (tx) =>
      tx.register("ses_1", "host_process", `${thisProcess.host} ${spawnSync("true").pid} token`),
    )
    // The session may be continued, so its task is not taken over automatically; it can be started.
    expect(await adopt()).toBe(false)
    await by("ses_1", "session", { action: "close" })
    expect(await adopt()).toBe(true)
    await adoptTask(hive, { session: "ses_2", agent: "build", tool: "gate" }, id)
    expect(task()?.assigned_session_id).toBe("ses_2")
  })

  it("at once when its process has ended, and not while it runs", async () => {
    for (const says of ["idle", "gone", undefined] as const) {
      const { hive, id, by } = await heldTask(says === undefined ? undefined : () => says)
      const seenIn = (process: string) =>
        hive.store.append({ tool: "test", session: "ses_1", agent: null }, (tx) =>
          tx.register("ses_1", "host_process", process),
        )
      const start = { action: "start", task_id: id }
      const here = spawn("sleep", ["60"])
      onTestFinished(() => void here.kill())
      await seenIn(`${thisProcess.host} ${here.pid} token`)
      expect(await by("ses_2", "task", start)).toMatchObject({ code: "conflict" })
      const gone = spawnSync("true").pid
      // Processes of other machines cannot be checked from here.
      await seenIn(`elsewhere ${gone} token`)
      expect(await by("ses_2", "task", start)).toMatchObject({ code: "conflict" })
      await seenIn(`${thisProcess.host} ${gone} token`)
      expect(await by("ses_2", "task", start)).toMatchObject({ status: "success" })
    }
  })
})

it("keeps a lock relative to the project, however it was named", async () => {
  const root = realpathSync(await tempProject())
  const dir = join(root, "app")
  mkdirSync(join(dir, "src"), { recursive: true })
  symlinkSync(dir, join(root, "link"))
  const table: [string, string][] = [
    ["src/a.ts", "src/a.ts"],
    ["./src//a.ts", "src/a.ts"],
    ["src/", "src"],
    ["src/x/../a.ts", "src/a.ts"],
    [`${dir}/src/a.ts`, "src/a.ts"],
    [`${dir}/src/**/*.ts`, "src/**/*.ts"],
    [`${root}/link/src/a.ts`, "src/a.ts"],
    [dir, "."],
    [".", "."],
    [`${root}/other/a.ts`, `${root}/other/a.ts`],
  ]
  expect(table.map(([given]) => keptLock(dir, given))).toEqual(table.map(([, kept]) => kept))
})
