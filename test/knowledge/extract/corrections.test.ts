import { expect, it } from "vitest"
import { recallForMessage } from "../../../src/context/words/recall-for-message.ts"
import { keepCorrection } from "../../../src/knowledge/extract/corrections.ts"
import { recall } from "../../../src/knowledge/recall/recall.ts"
import { hiveAtWork } from "../../support/hive-at-work.ts"
import { callTool } from "../../tools/call-tool.ts"

const caller = { session: "ses_other", agent: null, tool: "user message" }

it("a user's correction is kept once, with its session, and recall says when", async () => {
  const { hive } = await hiveAtWork()
  const message = "No, we install with pnpm here. Yarn breaks the lockfile.\nGo on with the form."
  const [mem] = await keepCorrection(hive, caller, message)
  expect(mem).toMatchObject({
    content: "No, we install with pnpm here. Yarn breaks the lockfile.",
    ...{ origin: "correction", shelf: "corrections", session_id: "ses_other", confidence: 0.6 },
  })
  expect(await keepCorrection(hive, { ...caller, session: "ses_third" }, message.toUpperCase())).toEqual([])
  const [hit] = await recall(hive, "pnpm lockfile", { limit: 3 })
  expect(hit?.mem.id).toBe(mem?.id)
  const [found] = await recallForMessage(hive, "Run yarn install and commit the lockfile", "message")
  expect(found).toMatchObject({ mem: { id: mem?.id } })
  const day = new Date(hive.source.now()).toISOString().slice(0, 10)
  expect(
    JSON.stringify(await callTool(hive, "memory", { action: "recall", query: "pnpm lockfile" })),
  ).toContain(`corrected before, ${day}: No, we install with pnpm here.`)
})

it("a secret in a correction is masked", async () => {
  const { hive } = await hiveAtWork()
  const secret = `ghp_${"a1B2c3D4e5F6".repeat(3)}`
  const [mem] = await keepCorrection(hive, caller, `No, the staging webhook uses ${secret} as token`)
  const stored = hive.store.read().state.mem.get(mem?.id ?? "")
  expect(stored?.content).toContain("staging webhook")
  expect(stored?.content).not.toContain(secret)
})

it.each<[string, { isAnswer?: boolean; rejectsCall?: boolean }, kept: number]>([
  ["No, that's wrong.", {}, 0],
  ["It still fails in the pnpm lockfile of the workspace.", {}, 0],
  ["Add pnpm to the workspace lockfile, please.", {}, 0],
  ["No, the pnpm workspace, not yarn.", { isAnswer: true }, 0],
  ["the stripe webhook is tested with vitest in another folder", {}, 0],
  ["the stripe webhook is tested with vitest in another folder", { rejectsCall: true }, 1],
])("%s %o: %i kept", async (message, given, kept) => {
  const { hive } = await hiveAtWork()
  expect(await keepCorrection(hive, caller, message, given)).toHaveLength(kept)
})
