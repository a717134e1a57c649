import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { connectedAt } from "../support/connected.ts"
import { tempProject } from "../support/temp-project.ts"

it("the first message of a session is no correction", async () => {
  const project = await tempProject()
  mkdirSync(join(project, ".hivemind", "graph"), { recursive: true })
  const { hivemind, state } = connectedAt(project)
  const say = (text: string) => hivemind.onUserMessage({ session: "ses_1", agent: "build", text })
  const kept = () => Array.from(state().mem.values(), ({ content }) => content)
  await say("Do not change any files. Review the checkout module.")
  expect(kept()).toEqual([])
  await say("No, the checkout module is in the shop folder.")
  expect(kept()).toEqual(["No, the checkout module is in the shop folder."])
})
