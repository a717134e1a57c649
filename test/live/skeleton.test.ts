import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { partFile, partFiles } from "../support/parts.ts"
import { openBed } from "./bed/bed.ts"
import { refusalIn } from "./bed/refusal-in.ts"
import { call, calls, say } from "./bed/steps.ts"

describe("the plugin in the real OpenCode", () => {
  it("offers its tools to the model and prints nothing", async () => {
    await using bed = await openBed()
    const turn = await bed.prompt(await bed.newSession("s"), "Hello")
    expect(turn.requests[0]?.tools).toEqual(expect.arrayContaining(["hivemind_session", "hivemind_memory"]))
    expect(bed.printed()).toBe("")
  })

  it("starts a session, saves a mem, and both are there after a restart", async () => {
    await using bed = await openBed()
    const session = await bed.newSession("s")
    bed.model.script(
      call("hivemind_session", { action: "start", intent: "Add a login page" }),
      call("hivemind_session", { action: "update", level: "action", content: "Build the form" }),
      call("hivemind_memory", { action: "save", content: "The form posts to /login", kind: "fact" }),
      say("Saved."),
    )
    const first = await bed.prompt(session, "Go")
    const [start, update, save] = first.toolCalls.map((each) => JSON.parse(each.output ?? "{}"))
    for (const reply of [start, update, save])
      expect(reply).toMatchObject({ status: "success", entity_id: UUID })

    await bed.restart()
    bed.model.script(
      calls(
        call("hivemind_session", { action: "status" }),
        call("hivemind_memory", { action: "list" }),
        // The id that a tool returned is good for the next call.
        call("hivemind_memory", {
          action: "save",
          content: "It needs a token",
          related_to: [save.entity_id],
        }),
      ),
      say("Still there."),
    )
    const second = await bed.prompt(session, "What is there?")
    const [status, list, linked] = second.toolCalls.map((each) => JSON.parse(each.output ?? "{}"))
    expect(status).toMatchObject({
      intent: "Add a login page",
      tasks: [{ id: update.task_id, status: "active" }],
    })
    expect(list.mems).toMatchObject([{ id: save.entity_id, content: "The form posts to /login" }])
    expect(linked).toMatchObject({ status: "success", origin_task_id: update.task_id })
    expect(bed.printed()).toBe("")
  })

  it("closes a session and resumes it in another", async () => {
    await using bed = await openBed()
    bed.model.script(
      call("hivemind_session", { action: "start", intent: "Fix the build", mode: "quick_fix" }),
      call("hivemind_session", { action: "update", level: "tactic", content: "Find the cause" }),
      call("hivemind_session", { action: "close", summary: "Cause found: a cycle" }),
      say("Closed."),
    )
    await bed.prompt(await bed.newSession("one"), "Go")
    bed.model.script(call("hivemind_session", { action: "resume" }), say("On it."))
    const turn = await bed.prompt(await bed.newSession("two"), "Go on")
    expect(JSON.parse(turn.toolCalls[0]?.output ?? "{}")).toMatchObject({
      status: "success",
      summary: "Cause found: a cycle",
      intent: "Fix the build",
      phase: { title: "Find the cause" },
    })
  })

  it("answers a wrong argument to each tool with an error record and writes nothing", async () => {
    await using bed = await openBed()
    const wrong: [string, Record<string, unknown>][] = [
      ["hivemind_session", {}],
      ["hivemind_session", { action: "begin" }],
      ["hivemind_session", { action: "start" }],
      ["hivemind_session", { action: "start", intent: "x", mode: "wild" }],
      ["hivemind_session", { action: "update", level: "plan", content: "x" }],
      ["hivemind_session", { action: "status", intent: "not an argument of status" }],
      ["hivemind_session", { action: "close", summary: "never started" }],
      ["hivemind_session", { action: "resume", session: "no such" }],
      ["hivemind_memory", { action: "save" }],
      ["hivemind_memory", { action: "save", content: 7 }],
      ["hivemind_memory", { action: "save", content: "x", origin_task_id: "task-1" }],
      ["hivemind_memory", { action: "save", content: "x", related_to: [NOBODY] }],
      ["hivemind_memory", { action: "save", content: "x", ttl_hours: -1 }],
      ["hivemind_memory", { action: "list", shelf: "" }],
      ["hivemind_plan", { action: "create", title: "no acceptance" }],
      [
        "hivemind_plan",
        { action: "plan_tasks", plan_id: NOBODY, tasks: [{ title: "x", expected_output: "y" }] },
      ],
      ["hivemind_plan", { action: "plan_tasks", plan_id: NOBODY, tasks: [] }],
      ["hivemind_task", { action: "start" }],
      ["hivemind_task", { action: "complete", evidence: "of nothing" }],
      ["hivemind_delegate", { action: "assign", task_id: NOBODY, to: "general" }],
      ["hivemind_delegate", { action: "recall", delegation_id: "x", reason: "y" }],
      ["hivemind_shell", { timeout_ms: 5 }],
    ]
    bed.model.script(calls(...wrong.map(([tool, args]) => call(tool, args))), say("All refused."))
    const turn = await bed.prompt(await bed.newSession("s"), "Go")
    const replies = turn.toolCalls.map((each) => refusalIn(each.error))
    expect(replies).toHaveLength(wrong.length)
    for (const reply of replies) {
      expect(reply).toMatchObject({
        status: "error",
        code: expect.stringMatching(/^(invalid_argument|not_found|orphan)$/),
        what: expect.stringMatching(/\w/),
        why: expect.stringMatching(/\w/),
        use_instead: expect.stringMatching(/\w/),
        evidence: expect.stringMatching(/\w/),
      })
    }
    await expect(bed.readHive("graph/log/000001.jsonl")).rejects.toThrow()
  })

  it("goes on when the files are damaged, tells the log, and ends no turn", async () => {
    await using bed = await openBed()
    const session = await bed.newSession("s")
    bed.model.script(call("hivemind_memory", { action: "save", content: "Kept" }), say("Saved."))
    await bed.prompt(session, "Go")
    await expect.poll(() => partFiles(bed.project, "mems")).toHaveLength(1)
    await bed.stop()
    const mems = partFile(bed.project, "mems")
    writeFileSync(join(bed.project, ".hivemind", mems), '{"mems":[{"id": broken')
    writeFileSync(join(bed.project, ".hivemind/system/config.json"), '{"governance": "loud", "colour": 1}')
    await bed.restart()
    bed.model.script(call("hivemind_memory", { action: "list" }), say("Listed."))
    const turn = await bed.prompt(await bed.newSession("t"), "What is there?")
    expect(turn.error).toBeUndefined()
    expect(turn.text).toBe("Listed.")
    expect(JSON.parse(turn.toolCalls[0]?.output ?? "{}")).toMatchObject({
      count: 1,
      mems: [{ content: "Kept" }],
    })
    await expect.poll(() => bed.pluginLog()).toContain(mems)
    const log = await bed.pluginLog()
    expect(log).toContain("governance")
    expect(log).toContain('no option "colour"')
    expect(bed.printed()).toBe("")
  })

  it("folds the journal into readable files when the session is idle", async () => {
    await using bed = await openBed()
    bed.model.script(call("hivemind_memory", { action: "save", content: "Folded by itself" }), say("Saved."))
    await bed.prompt(await bed.newSession("s"), "Go")
    await expect.poll(() => partFiles(bed.project, "mems")).toHaveLength(1)
    expect(await bed.readHive(partFile(bed.project, "mems"))).toContain("Folded by itself")
  })
})

const UUID = expect.stringMatching(/^[0-9a-f-]{36}$/)
const NOBODY = "00000000-0000-4000-8000-000000000000"
