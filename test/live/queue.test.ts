import { expect, it } from "vitest"
import { openHiveIn } from "../../src/hive/open.ts"
import { enqueue, outcomeOf } from "../../src/queue/queue.ts"
import { systemSource } from "../../src/shared/ids.ts"
import { openBed } from "./bed/bed.ts"
import { call, say } from "./bed/steps.ts"

it("what is asked for outside a running OpenCode is applied by it, and stands in its next request", async () => {
  await using bed = await openBed()
  const session = await bed.newSession("s")
  bed.model.script(
    call("hivemind_session", { action: "update", level: "action", content: "Paint the fence" }),
    say("Begun."),
  )
  await bed.prompt(session, "Begin")
  const input = { source: systemSource, userConfig: null, options: { name: "test", value: {} } }
  const { hive } = await openHiveIn(bed.project, input)
  const [task] = [...hive.store.read().state.task.values()].filter(({ title }) => title === "Paint the fence")
  const edit = { do: "edit_task", task: task?.id ?? "", title: "Paint the fence green" } as const
  const ids = [
    await enqueue(hive, "dashboard", edit),
    await enqueue(hive, "dashboard", { do: "flag_mem", mem: "ffffffff", reason: "wrong" }),
  ]
  // OpenCode is idle, and nobody else applies them.
  await expect.poll(() => outcomeOf(hive, ids[0] ?? "")).toMatchObject({ ok: true })
  await expect.poll(() => outcomeOf(hive, ids[1] ?? "")).toMatchObject({ ok: false })
  await hive.store.close()
  bed.model.script(say("Green it is."))
  const { requests } = await bed.prompt(session, "Go on")
  expect(JSON.stringify(requests[0]?.body)).toContain("Paint the fence green")
  expect(bed.printed()).toBe("")
})
