import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { partFile, partFiles } from "../support/parts.ts"
import { openBed } from "./bed/bed.ts"
import { calls, hive, save, say, update } from "./bed/steps.ts"

describe("the plugin in the real OpenCode", () => {
  it("starts a session, saves a mem, and both are there after a restart", async () => {
    await using bed = await openBed()
    const session = await bed.newSession("s")
    bed.model.script(
      hive("session start", { intent: "Add a login page" }),
      update("action", "Build the form"),
      save("The form posts to /login", "fact"),
      say("Saved."),
    )
    const first = await bed.prompt(session, "Go")
    const [started, updated, saved] = first.toolCalls.map((each) => JSON.parse(each.output ?? "{}"))
    for (const reply of [started, updated, saved])
      expect(reply).toMatchObject({ status: "success", entity_id: UUID })

    await bed.restart()
    bed.model.script(
      calls(
        hive("session status"),
        hive("memory list"),
        // The id that a tool returned is good for the next call.
        hive("memory save", { content: "It needs a token", related_to: [saved.entity_id] }),
      ),
      say("Still there."),
    )
    const second = await bed.prompt(session, "What is there?")
    const [status, list, linked] = second.toolCalls.map((each) => JSON.parse(each.output ?? "{}"))
    expect(status).toMatchObject({
      intent: "Add a login page",
      tasks: [{ id: updated.task_id, status: "active" }],
    })
    expect(list.mems).toMatchObject([{ id: saved.entity_id, content: "The form posts to /login" }])
    expect(linked).toMatchObject({ status: "success", origin_task_id: updated.task_id })
    expect(bed.printed()).toBe("")
  })

  it("goes on when the files are damaged, tells the log, and ends no turn", async () => {
    await using bed = await openBed()
    const session = await bed.newSession("s")
    bed.model.script(save("Kept"), say("Saved."))
    await bed.prompt(session, "Go")
    await expect.poll(() => partFiles(bed.project, "mems")).toHaveLength(1)
    await bed.stop()
    const mems = partFile(bed.project, "mems")
    writeFileSync(join(bed.project, ".hivemind", mems), '{"mems":[{"id": broken')
    writeFileSync(join(bed.project, ".hivemind/system/config.json"), '{"governance": "loud", "colour": 1}')
    await bed.restart()
    bed.model.script(hive("memory list"), say("Listed."))
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
})

const UUID = expect.stringMatching(/^[0-9a-f-]{36}$/)
