import { expect, it } from "vitest"
import { hostTools } from "../../../src/hosts/opencode/tools.ts"
import { tools } from "../../../src/tools/index.ts"
import { memoryHive } from "../../support/hive.ts"
import { beginWork } from "../../support/hive-at-work.ts"
import { by } from "../../support/records.ts"
import { tempProject } from "../../support/temp-project.ts"

const context = { sessionID: "ses_1", agent: "build", callID: "call_1", ask: async () => {} } as never

async function toolsOn(hive = memoryHive()) {
  const dir = await tempProject()
  const inProject = { ...hive, home: dir, dir }
  return hostTools({ tools, runTool: (tool, caller, args) => tool.execute(inProject, caller, args) })
}

it("the host is given a reply as JSON, and the hook after the call the reply itself, once", async () => {
  const { definitions, takeReply } = await toolsOn()
  const written = await definitions["hivemind_memory"]?.execute(
    { action: "save", content: "x" } as never,
    context,
  )
  const reply = takeReply("call_1")
  expect(reply).toMatchObject({ status: "success", entity_id: expect.any(String) })
  const { output, title } = written as { output: string; title: string }
  expect(JSON.parse(output)).toEqual(reply)
  expect(title).toBe("save: x")
  expect(takeReply("call_1")).toBeUndefined()
})

it("the progress of a command is shown, and the check that complete runs", async () => {
  const hive = memoryHive()
  const { definitions } = await toolsOn(hive)
  const shown: { title?: string; metadata?: { output?: string } }[] = []
  const watched = {
    ...(context as object),
    metadata: (progress: object) => void shown.push(progress),
  } as never
  await definitions["hivemind_shell"]?.execute({ command: "echo half way" } as never, watched)
  expect(shown).toEqual([
    { title: "echo half way", metadata: { output: "" } },
    { title: "echo half way", metadata: { output: "half way\n" } },
  ])
  const { task } = await beginWork(hive)
  await hive.store.write(by, (tx) => tx.set("task", task, { verify: "echo checking" }))
  shown.length = 0
  await definitions["hivemind_task"]?.execute({ action: "complete", evidence: "x" } as never, watched)
  expect(shown.at(-1)).toEqual({ title: "echo checking", metadata: { output: "checking\n" } })
})
