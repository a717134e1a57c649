import type { ToolPart } from "@opencode-ai/sdk"
import { expect, it } from "vitest"
import { systemSource } from "../../src/shared/ids.ts"
import { openFileStore } from "../../src/store/file-store.ts"
import { metricsOf } from "../../src/watch/session-metrics.ts"
import { openBed } from "./bed/bed.ts"
import { call, hive, save, say } from "./bed/steps.ts"

it("calls of our tools are readable: a refusal is a failure, a command shows output and exit code, others have a title", async () => {
  await using bed = await openBed({ hive: true })
  const session = await bed.newSession("s")
  bed.model.script(
    save("It uses port 4096"),
    call("hivemind_shell", { command: "echo out; echo err >&2; exit 3" }),
    hive("task complete", { evidence: "done" }),
    hive("plan nonsense"),
    say("ok"),
  )
  const { messages } = await bed.prompt(session, "Go")
  const states = messages
    .flatMap(({ parts }) => parts.filter((part): part is ToolPart => part.type === "tool"))
    .map(({ state }) => state)
  expect(states).toMatchObject([
    { status: "completed", title: "save: It uses port 4096" },
    {
      status: "completed",
      title: "echo out; echo err >&2; exit 3",
      output: expect.stringMatching(/^exit 3\n(out\nerr|err\nout)\n/),
      metadata: { exit: 3, output: expect.stringContaining("out\n") },
    },
    { status: "error", error: expect.stringContaining("There is no task at hand") },
    { status: "error", error: expect.stringContaining("invalid_argument") },
  ])
  // As a refused command reads: each part of it on a line of its own.
  const { error } = states[2] as { error: string }
  expect(error).toMatch(
    /^WHAT: There is no task at hand.*\nWHY: This session has not started one\. task_id is the id of a task\.\nUSE INSTEAD: .+\nEVIDENCE: .+\nCODE: not_found$/,
  )
  // Each counts once, though the host tells of it twice.
  const store = openFileStore(bed.project, { source: systemSource })
  const count = () => metricsOf(store.read().state, session.id).counts["tool_failures"]
  await expect.poll(count).toBe(3)
  await bed.waitForEvent("session.idle")
  expect(count()).toBe(3)
  await store.close()
  expect(bed.printed()).toBe("")
})
