import { expect, it, vi } from "vitest"
import { systemSource } from "../../../src/shared/ids.ts"
import { openFileStore } from "../../../src/store/file-store.ts"
import { aMem, by } from "../../support/records.ts"
import { tempProject } from "../../support/temp-project.ts"
import { pluginIn } from "./event-reader.ts"

const TEMPLATE = "Review the change. Never approve a change without tests."

it("in a command's prompt only the user's own text can be a rule, and in HiveMind's commands none of it", async () => {
  const project = await tempProject()
  const store = openFileStore(project, { source: systemSource })
  await store.append(by, (tx) => tx.add("mem", aMem(1)))
  await store.close()
  const hooks = await pluginIn(project)
  await hooks.config?.({} as never)
  const rules = async () => {
    const now = openFileStore(project, { source: systemSource })
    const mems = [...now.read().state.mem.values()]
    await now.close()
    return mems.flatMap(({ kind, content }) => (kind === "rule" ? [content] : []))
  }
  const sessionID = "ses_1"
  let turn = 0
  const say = async (text: string, command?: { name: string; words: string }) => {
    const id = `msg_${turn++}`
    const parts = [{ id: `prt_${turn}`, sessionID, messageID: id, type: "text", text }]
    if (command !== undefined)
      await hooks["command.execute.before"]?.(
        { command: command.name, sessionID, arguments: command.words },
        { parts: parts as never },
      )
    const message = { id, sessionID, role: "user", agent: "build", model: { providerID: "p", modelID: "m" } }
    await hooks["chat.message"]?.({ sessionID } as never, { message, parts } as never)
  }
  await hooks.event?.({
    event: { type: "session.created", properties: { info: { id: sessionID } } },
  } as never)

  await say(`${TEMPLATE} src`, { name: "review", words: "src" })
  await say("I no longer want this rule: never push", { name: "hive-forget", words: "never push" })
  expect(await rules()).toEqual([])
  const words = "src. Never squash my commits."
  await say(`${TEMPLATE} ${words}`, { name: "review", words })
  await say("From now on use pnpm.")
  expect(await rules()).toEqual(["Never squash my commits.", "From now on use pnpm."])
  await hooks.dispose?.()
})

it("unexpected arguments from the host make no call fail and print nothing", async () => {
  const printed = vi.spyOn(process.stderr, "write").mockReturnValue(true)
  const project = await tempProject()
  const hooks = await pluginIn(project)
  const before = hooks["tool.execute.before"] as (...given: unknown[]) => Promise<void>
  const odd = {
    get filePath() {
      throw new Error("not yours")
    },
  }
  const calls: unknown[][] = [
    [{ tool: "write", sessionID: "s", callID: "c" }],
    [{ tool: 5, sessionID: "s", callID: "c" }, { args: {} }],
    [{ sessionID: null }, { args: null }],
    [undefined, undefined],
    [{ tool: "write", sessionID: "s", callID: "c" }, { args: odd }],
    [{ tool: "bash", sessionID: {}, callID: [] }, { args: { command: { a: 1 } } }],
  ]
  for (const given of calls) await expect(before(...given)).resolves.toBeUndefined()
  expect(printed).not.toHaveBeenCalled()
  printed.mockRestore()
  await hooks.dispose?.()
})
