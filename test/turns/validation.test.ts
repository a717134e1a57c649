import { expect, it, vi } from "vitest"
import { afterCompaction } from "../../src/turns/after-compaction.ts"
import { sessionStart } from "../../src/turns/session-start.ts"
import { turnEnd } from "../../src/turns/turn-end.ts"
import type { TurnInput } from "../../src/turns/turn-input.ts"
import { ensureSession } from "../../src/work/session/start.ts"
import { memoryHive } from "../support/hive.ts"
import { anAnchor, by, T0 } from "../support/records.ts"
import { callSteps } from "../support/tree.ts"

const caller = (session: string) => ({ session, agent: null, tool: "test" })

const files = { update: async () => {} }
const noSync = async () => {}

function moment() {
  const hive = memoryHive({ export_on_idle: false })
  const validate = vi.fn<TurnInput["validate"]>(async () => ["docs/plan.md: changed"])
  const log = vi.fn()
  const input = {
    hive: async () => hive,
    log,
    toast: async () => {},
    lastAnswer: async () => "",
    validate,
    ...callSteps(),
  } as unknown as TurnInput
  return { hive, validate, log, input }
}

async function run(steps: readonly (readonly [string, () => Promise<unknown>])[]): Promise<void> {
  for (const [, step] of steps) await step()
}

it("a new session is validated, and the log has what was marked and what is due", async () => {
  const { hive, validate, log, input } = moment()
  await hive.store.write(by, (tx) => tx.add("anchor", anAnchor(1, { key: "DB", value: "Postgres" })))
  hive.source.seconds = 40 * 3600
  await run(sessionStart(input, noSync, () => {})("ses_1", false))
  expect(validate).toHaveBeenCalledWith(hive, expect.objectContaining({ session: "ses_1" }), "session start")
  const found = ["docs/plan.md: changed", "to refresh: DB: Postgres"]
  expect(log).toHaveBeenCalledWith("info", "validated", found)
})

it("a turn's end is validated; a subagent's session is not", async () => {
  const { hive, validate, input } = moment()
  await hive.store.write(by, (tx) => {
    ensureSession(tx, caller("ses_parent"), T0, null)
    ensureSession(tx, caller("ses_child"), T0, null, "ses_parent")
  })
  await run(sessionStart(input, noSync, () => {})("ses_child", true))
  await run(turnEnd(input, files, noSync)("ses_child"))
  expect(validate).not.toHaveBeenCalled()
  await run(turnEnd(input, files, noSync)("ses_parent"))
  await run(turnEnd(input, files, noSync)("ses_unknown"))
  expect(validate.mock.calls.map(([, { session }, when]) => [session, when])).toEqual([
    ["ses_parent", "turn end"],
    ["ses_unknown", "turn end"],
  ])
})

it("a compaction purges anchors that are stale and old", async () => {
  const { hive, input } = moment()
  await hive.store.write(by, (tx) => tx.add("anchor", anAnchor(1)))
  await hive.store.write(by, (tx) => tx.set("anchor", anAnchor(1).id, { status: "stale" }))
  hive.source.seconds = 49 * 3600
  await run(afterCompaction(input, files)("ses_1"))
  expect([...hive.store.read().state.anchor.values()]).toMatchObject([{ status: "removed" }])
})
