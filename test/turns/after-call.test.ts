import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { HOST_PROCESS } from "../../src/hive/host-process.ts"
import { systemSource } from "../../src/shared/ids.ts"
import { thisProcess } from "../../src/shared/process-identity.ts"
import { openFileStore } from "../../src/store/file-store.ts"
import { observedCall } from "../../src/turns/after-call.ts"
import { judgeChecks } from "../../src/work/task/check-result.ts"
import { connectedAt } from "../support/connected.ts"
import { callEnder, gateCall } from "../support/ended-calls.ts"
import { writeFiles } from "../support/git-repo.ts"
import { memoryHive } from "../support/hive.ts"
import { by } from "../support/records.ts"
import { tempProject } from "../support/temp-project.ts"
import { callTool } from "../tools/call-tool.ts"

const BASH = { id: "1", session: "ses_1", agent: null, tool: "bash" }
const ENDED = { ok: true, exit: 0, said: "", isSilent: false, isStopped: false, child: null }

it("a checkpoint says whether its command ran tests, a build or a commit", async () => {
  const hive = memoryHive()
  await callTool(hive, "session", { action: "update", level: "action", content: "Write code" })
  const end = callEnder(hive)
  const run = async (command: string, exit = 0) => {
    const call = { ...BASH, id: command, args: { command } }
    await end(call, { ...BASH, ...ENDED, id: command, exit })
    return [...hive.store.read().state.checkpoint.values()].find((each) => each.command === command)
  }
  const did = async (command: string) => (await run(command))?.did
  expect(await did("npm test")).toEqual(["test"])
  expect(await did("npx tsc")).toEqual(["build"])
  expect(await did("npm test && git commit -am done")).toEqual(["test", "commit"])
  expect(await did("git -C app commit -m done")).toEqual(["commit"])
  expect(await did("git add commit.ts")).toEqual([])
  expect(await did("grep commit a.ts")).toBeUndefined()
  expect(await run("npm run lint", 1)).toMatchObject({ did: ["build"], ok: false })
  // A grep that has found nothing ends with 1: the check may have passed, and completing the task runs it.
  expect(await run("npm test | grep FAIL", 1)).toMatchObject({ did: [], ok: true })
})

const PASSED = "# pass 3\n# fail 0"
const FAILED = "# pass 2\n# fail 1"

function checkOf(command: string, exit: number, output: string, { isStopped = false } = {}) {
  const call = gateCall({ ...BASH, args: { command } })
  const result = { ...BASH, ...ENDED, exit, said: output, isStopped }
  const check = judgeChecks(command, { exit, output })
  const event = observedCall(result, call, { changed: [], task: null, step: null, check })
  return event.what === "call" ? event.check : undefined
}

it("a check is counted as it was judged, and as unknown if it was stopped", () => {
  expect(checkOf("npm test", 0, PASSED)).toBe("passed")
  expect(checkOf("npm test", 1, FAILED)).toBe("failed")
  expect(checkOf("npm test | tail -2", 0, FAILED)).toBe("unknown")
  expect(checkOf("npm test", 1, "", { isStopped: true })).toBe("unknown")
})

const LINE = "this write belongs to no task"

async function writer({ isUsed = true, parents = {} as Record<string, string> } = {}) {
  const dir = await tempProject()
  if (isUsed) mkdirSync(join(dir, ".hivemind", "graph"), { recursive: true })
  const connected = connectedAt(dir, { snapshots: { enabled: false } }, parents)
  await connected.hivemind.onUserMessage({ session: "ses_1", agent: "build", text: "Go." })
  const edits = async (count: number, from = 0, session = "ses_1") => {
    const notes: string[] = []
    for (let n = from; n < from + count; n++) {
      const filePath = `src/file-${n}.ts`
      const content = `export const n = ${n}\n`
      const run = () => writeFiles(dir, { [filePath]: content })
      notes.push((await connected.call({ session, tool: "write", args: { filePath, content }, run })).notes)
    }
    return notes
  }
  return { ...connected, dir, edits }
}

describe("work without a task, in assisted", () => {
  it("ten edits make one note and ten checkpoints in the session's inbox task", async () => {
    const { hivemind, edits, state } = await writer()
    const first = await edits(5)
    await hivemind.onUserMessage({ session: "ses_1", agent: "build", text: "Go on with the rest, please." })
    const notes = [...first, ...(await edits(5, 5))]
    expect(notes[0]).toContain(LINE)
    expect(notes.slice(1).join("")).toBe("")
    const { task, checkpoint, trajectory } = state()
    const [inbox, ...others] = task.values()
    expect(others).toEqual([])
    expect(inbox).toMatchObject({ status: "active", purpose: "unplanned", assigned_session_id: "ses_1" })
    expect(Array.from(checkpoint.values(), ({ task_id, files }) => [task_id, ...files])).toEqual(
      Array.from({ length: 10 }, (_, n) => [inbox?.id, `src/file-${n}.ts`]),
    )
    expect([...trajectory.values()].flatMap(({ active_task_ids }) => active_task_ids)).toEqual([])
  })

  it("a started task takes over and ends the inbox task", async () => {
    const { own, edits, state } = await writer()
    await edits(3)
    await own("session", { action: "update", level: "action", content: "Write the parser" })
    await edits(2, 3)
    const named = () => Object.fromEntries(Array.from(state().task.values(), (each) => [each.title, each]))
    const inbox = named()["Unplanned: src/file-0.ts"]
    const real = named()["Write the parser"]
    expect(inbox).toMatchObject({ status: "completed", evidence: "followed by: Write the parser" })
    expect(real).toMatchObject({ status: "active" })
    const of = (id: string | undefined) =>
      [...state().checkpoint.values()].filter((each) => each.task_id === id)
    expect([of(inbox?.id).length, of(real?.id).length]).toEqual([3, 2])

    // Unplanned again after the task, in the same session: kept, and not spoken of again.
    await own("task", { action: "fail", reason: "not wanted any more" })
    expect((await edits(2, 5)).join()).not.toContain(LINE)
    const second = named()["Unplanned: src/file-5.ts"]
    expect(second).toMatchObject({ status: "active", parent_plan_id: inbox?.parent_plan_id })
    expect(of(second?.id)).toHaveLength(2)
  })

  it("ends with the host, or at the next start after a kill", async () => {
    const project = await tempProject()
    mkdirSync(join(project, ".hivemind", "graph"), { recursive: true })
    const write = async (session: string) => {
      const connected = connectedAt(project)
      await connected.hivemind.onUserMessage({ session, agent: "build", text: "Go." })
      const filePath = `${session}.txt`
      const run = () => writeFileSync(join(project, filePath), "text")
      await connected.call({ session, tool: "write", args: { filePath, content: "text" }, run })
      return connected
    }
    const first = await write("ses_1")
    const statuses = () => Array.from(first.state().task.values(), ({ status }) => status)
    expect(statuses()).toEqual(["active"])
    await first.hivemind.close()
    expect(statuses()).toEqual(["completed"])

    const killed = await write("ses_2")
    const store = openFileStore(project, { source: systemSource })
    const gone = `${thisProcess.host} ${spawnSync("true").pid} token`
    await store.write(by, (tx) => tx.register("ses_2", HOST_PROCESS, gone))
    expect(statuses()).toEqual(["completed", "active"])
    const next = connectedAt(project)
    await next.hivemind.onUserMessage({ session: "ses_3", agent: "build", text: "Hello." })
    await expect.poll(statuses).toEqual(["completed", "completed"])
    expect([...killed.state().task.values()].at(-1)?.evidence).toBe("the session ended")
  })

  it("a subagent's work goes to its parent's inbox task", async () => {
    const { hivemind, call, edits, state } = await writer({ parents: { ses_2: "ses_1", ses_3: "ses_1" } })
    const notes = await edits(1)
    for (const [session, count, from] of [
      ["ses_2", 2, 1],
      ["ses_3", 1, 3],
    ] as const) {
      const args = { subagent_type: "general", description: "write", prompt: "Write files." }
      const run = async () => {
        await hivemind.onUserMessage({ session, agent: "general", text: args.prompt })
        notes.push(...(await edits(count, from, session)))
      }
      notes.push((await call({ tool: "task", args, run })).notes)
    }
    expect(notes.filter((text) => text.includes(LINE))).toHaveLength(1)
    expect(notes.filter((text) => text.includes("this subagent works without a task"))).toHaveLength(1)
    expect(state().task.size).toBe(1)
    expect(state().checkpoint.size).toBe(4)
  })

  it("without a hive: one note, nothing written", async () => {
    const { dir, edits } = await writer({ isUsed: false })
    expect((await edits(3)).filter((text) => text.includes(LINE))).toHaveLength(1)
    expect(existsSync(join(dir, ".hivemind", "graph"))).toBe(false)
  })
})
