import { expect, it, vi } from "vitest"
import { systemSource } from "../../../src/shared/ids.ts"
import { openFileStore } from "../../../src/store/file-store.ts"
import { aMem, by } from "../../support/records.ts"
import { pauses, resetPauses } from "../../support/slice-counts.ts"
import { tempProject } from "../../support/temp-project.ts"
import { pluginIn } from "./event-reader.ts"

vi.mock("../../../src/shared/slices.ts", async (original) => {
  const { countingSlices } = await import("../../support/slice-counts.ts")
  return countingSlices(original)
})

it("the first turn on a large graph, and the first after others have written a lot, never read it in one go", async () => {
  const project = await tempProject()
  await addMems(project, 10_000)
  resetPauses()
  const hooks = await pluginIn(project)
  expect(await userTurn(hooks, 1, project)).toMatch(/^<hivemind_state/)
  expect(pauses.inSlices).toBeGreaterThan(MANY)
  expect(pauses.inOneGo).toBeLessThan(FEW)

  await addMems(project, 10_000)
  // The plugin may have read some of the new lines in the background already: only one long read would be wrong.
  resetPauses()
  expect(await userTurn(hooks, 2, project)).toMatch(/^<hivemind_state/)
  expect(pauses.inOneGo).toBeLessThan(FEW)
  await hooks.dispose?.()
})

async function userTurn(
  hooks: Awaited<ReturnType<typeof pluginIn>>,
  turn: number,
  project: string,
): Promise<string> {
  const sessionID = "ses_1"
  const id = `msg_${turn}`
  const info = { id, sessionID, role: "user", agent: "build", model: { providerID: "p", modelID: "m" } }
  const parts = [{ id: `prt_${turn}`, sessionID, messageID: id, type: "text", text: "Where are we?" }]
  const output = { messages: [{ info, parts }], system: [`Working directory: ${project}`] }
  const created = { type: "session.created", properties: { info: { id: sessionID } } }
  await Promise.all([
    hooks.event?.({ event: created } as never),
    hooks["chat.message"]?.({ sessionID } as never, { message: info, parts } as never),
  ])
  await hooks["experimental.chat.messages.transform"]?.({} as never, output as never)
  await hooks["tool.execute.before"]?.({ tool: "read", sessionID, callID: `call_${turn}` }, { args: {} })
  return output.messages[0]?.parts[0]?.text ?? ""
}

async function addMems(project: string, count: number): Promise<void> {
  const store = openFileStore(project, { source: systemSource, foldAfterBytes: Number.POSITIVE_INFINITY })
  for (let n = 0; n < count; n += 100)
    await store.append(by, (tx) => {
      for (let k = 0; k < 100; k++) tx.add("mem", { ...aMem(k), id: crypto.randomUUID() })
    })
  await store.close()
}

// The log is read in pieces of a fixed length; a look at what was just written is one or two.
const MANY = 20
const FEW = 5
