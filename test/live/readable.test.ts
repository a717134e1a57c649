import { expect, it } from "vitest"
import { metricsOf } from "../../src/watch/session-metrics.ts"
import { openBed } from "./bed/bed.ts"
import { call, hive, save } from "./bed/steps.ts"

it("calls of our tools are readable: a refusal is a failure, a command shows output and exit code, others have a title", async () => {
  await using bed = await openBed({ hive: true })
  const session = await bed.newSession("s")
  const command = "echo out; echo err >&2; exit 3"
  const { messages } = await bed.prompt(
    session,
    "Go",
    save("It uses port 4096"),
    call("hivemind_shell", { command }),
    hive("task complete", { evidence: "done" }),
    hive("plan nonsense"),
  )
  const states = messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "tool" ? [part.state] : [])),
  )
  expect(states).toMatchObject([
    { status: "completed", title: "save: It uses port 4096" },
    {
      status: "completed",
      title: command,
      output: expect.stringMatching(/^exit 3\n(out\nerr|err\nout)\n/),
      metadata: { exit: 3, output: expect.stringContaining("out\n") },
    },
    { status: "error", error: expect.stringContaining("There is no current task") },
    { status: "error", error: expect.stringContaining("invalid_argument") },
  ])
  const { error } = states[2] as { error: string }
  expect(error).toMatch(
    /^WHAT: There is no current task.*\nWHY: This session has not started one\. task_id is the id of a task\.\nUSE INSTEAD: .+\nEVIDENCE: .+\nCODE: not_found$/,
  )
  // Each counts once, though the host reports it twice.
  const count = () => metricsOf(bed.state(), session.id).counts["tool_failures"]
  await expect.poll(count).toBe(3)
  await bed.waitForEvent("session.idle")
  expect(count()).toBe(3)
  expect(bed.printed()).toBe("")
})
