import { beforeEach, describe, expect, test } from "vitest"
import { readableStamp } from "../../src/shared/stamp.ts"
import { ensureSession } from "../../src/work/session/session.ts"
import { by } from "../support/records.ts"
import { type Filled, fillProject, SESSION, withStore } from "./filled-project.ts"
import { cli, useSandbox } from "./harness.ts"

const box = useSandbox()
let filled: Filled
beforeEach(async () => {
  filled = await fillProject(box.project)
})

const sessions = (...args: string[]) => cli(box, ["sessions", ...args])
const asJson = async (...args: string[]) => JSON.parse((await sessions(...args, "--json")).stdout)

describe("how a session is doing", () => {
  test("drift says how many calls there were, and of which kind", async () => {
    expect((await sessions("--drift")).stdout).toMatch(/\ncalls +none\n$/)
    await withStore(box.project, (store) =>
      store.append(by, (tx) => {
        tx.count(SESSION, "calls write", 2)
        tx.count(SESSION, "tool_failures", 1)
      }),
    )
    expect((await sessions("--drift")).stdout).toMatch(/\ncalls +2: 2 write, 1 failed\n$/)
  })

  test("drift says the scores and what moved them, of the newest session unless another is named", async () => {
    const { code, stdout } = await sessions("--drift")
    expect(code).toBe(0)
    expect(stdout).toMatch(/^session +ses_one\ndrift +\d+ of 100\n.*health +\d+ of 100\n.*warnings +none\n/s)
    expect(await asJson(filled.stamp, "--drift")).toMatchObject({
      session: SESSION,
      drift: { score: expect.any(Number), moved: expect.any(Array) },
    })
  })

  test("drift shows stopped turns and acknowledges them, also in a session that the graph knows nothing else of", async () => {
    await withStore(box.project, (store) =>
      store.append(by, (tx) => {
        tx.count("ses_stopped", "cancels", 3)
        tx.register("ses_stopped", "cancels before row", 0)
      }),
    )
    const named = ["ses_stopped", "--drift"]
    const cancels = { signal: "cancels", shown_to: "model" }
    expect(await asJson(...named)).toMatchObject({ governance: "assisted", warnings: [cancels] })
    const quiet = await asJson(...named, "--acknowledge", "cancels")
    expect(quiet).toMatchObject({ warnings: [], acknowledged: [cancels] })
  })

  test("--acknowledge without a session means the newest one that has the warning, and says which", async () => {
    await withStore(box.project, async (store) => {
      const caller = { session: "ses_newer", agent: null, tool: "test" }
      await store.write(by, (tx) => ensureSession(tx, caller, Date.now() + 60_000, "Something newer"))
      await store.append(by, (tx) => {
        for (const session of [SESSION, "ses_stopped"]) {
          tx.count(session, "cancels", 3)
          tx.register(session, "cancels before row", 0)
        }
      })
    })
    const { code, stdout } = await sessions("--acknowledge", "cancels")
    expect(code).toBe(0)
    expect(stdout).toContain(`Acknowledged cancels of session ${readableStamp(filled.stamp)} (`)
    expect(await asJson(SESSION, "--drift")).toMatchObject({ warnings: [] })
    // The next one that has it.
    expect((await sessions("--acknowledge", "cancels")).stdout).toContain("session ses_stopped")
  })
})
