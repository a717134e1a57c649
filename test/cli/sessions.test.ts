import { expect, test } from "vitest"
import { readableStamp } from "../../src/shared/stamp.ts"
import { ensureSession } from "../../src/work/session/session.ts"
import { by } from "../support/records.ts"
import { SESSION, useFilledProject, withStore } from "./filled-project.ts"
import { cliJson, shown } from "./harness.ts"

const box = useFilledProject()
const sessions = (args: string) => shown(box, `sessions ${args}`)
const asJson = (args: string) => cliJson(box, `sessions ${args}`)

const stopTurns = (...ids: string[]) =>
  withStore(box.project, (store) =>
    store.append(by, (tx) => {
      for (const session of ids) {
        tx.count(session, "cancels", 3)
        tx.register(session, "cancels before row", 0)
      }
    }),
  )

test("--drift says the scores and what moved them, of the newest session unless another is named, and its calls", async () => {
  const none =
    /^session +ses_one\ndrift +\d+ of 100\n.*health +\d+ of 100\n.*warnings +none\n.*calls +none\n$/s
  expect(await sessions("--drift")).toMatch(none)
  const drift = { score: expect.any(Number), moved: expect.any(Array) }
  expect(await asJson(`${box.stamp} --drift`)).toMatchObject({ session: SESSION, drift })
  await withStore(box.project, (store) =>
    store.append(by, (tx) => {
      tx.count(SESSION, "calls write", 2)
      tx.count(SESSION, "tool_failures", 1)
    }),
  )
  expect(await sessions("--drift")).toMatch(/\ncalls +2: 2 write, 1 failed\n$/)
})

test("--drift shows and acknowledges stopped turns, also of a session without a record", async () => {
  await stopTurns("ses_stopped")
  const cancels = { signal: "cancels", shown_to: "model" }
  const loud = await asJson("ses_stopped --drift")
  expect(loud).toMatchObject({ governance: "assisted", warnings: [cancels] })
  const quiet = await asJson("ses_stopped --drift --acknowledge cancels")
  expect(quiet).toMatchObject({ warnings: [], acknowledged: [cancels] })
})

test("--acknowledge without a session means the newest one that has the warning, and says which", async () => {
  const caller = { session: "ses_newer", agent: null, tool: "test" }
  await withStore(box.project, (store) =>
    store.write(by, (tx) => ensureSession(tx, caller, Date.now() + 60_000, "Something newer")),
  )
  await stopTurns(SESSION, "ses_stopped")
  const stdout = await sessions("--acknowledge cancels")
  expect(stdout).toContain(`Acknowledged cancels of session ${readableStamp(box.stamp)} (`)
  expect(await asJson(`${SESSION} --drift`)).toMatchObject({ warnings: [] })
  // The next one that has it.
  expect(await sessions("--acknowledge cancels")).toContain("session ses_stopped")
})
