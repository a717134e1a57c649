import { expect, it, vi } from "vitest"
import { openCodePlugin } from "../../../src/hosts/opencode/plugin.ts"
import { tempProject } from "../../support/temp-project.ts"

it("unexpected arguments of the host end no call and print nothing", async () => {
  const printed = vi.spyOn(process.stderr, "write").mockReturnValue(true)
  const project = await tempProject()
  const hooks = await openCodePlugin(
    {
      directory: project,
      worktree: project,
      client: { config: { providers: async () => ({ data: { providers: [] } }) } },
    } as never,
    undefined,
  )
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
