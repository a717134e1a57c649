import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it, vi } from "vitest"
import { ALL } from "../../src/graph/indexes.ts"
import { scanHive } from "../../src/knowledge/project/scan-hive.ts"
import type { Step, TurnInput } from "../../src/turns/between-turns.ts"
import { afterCompaction } from "../../src/turns/compaction.ts"
import { scanAtStart, sessionStart } from "../../src/turns/session-start.ts"
import { turnEnd } from "../../src/turns/turn-end.ts"
import { ensureSession } from "../../src/work/session/session.ts"
import { fileHive } from "../support/file-hive.ts"
import { gitRepo } from "../support/git-repo.ts"
import { memoryHive } from "../support/hive.ts"
import { anAnchor, by, T0 } from "../support/records.ts"
import { callSteps } from "../support/tree.ts"

async function starting() {
  const hive = await fileHive()
  gitRepo(hive.dir, { "go.mod": "module example.com/x\n\ngo 1.24\n", "main.go": "package main\n" })
  const steps: Step[] = []
  const scan = scanAtStart({ hive: async () => hive, log: () => {} }, (later) => steps.push(...later))
  const run = async () => {
    for (const [, step] of steps.splice(0)) await step()
  }
  return { hive, steps, scan, run }
}

it("does not scan a project that was never scanned", async () => {
  const { hive, scan, run } = await starting()
  scan()
  await run()
  expect(existsSync(join(hive.home, ".hivemind"))).toBe(false)
})

it("scans a scanned project for changes and updates its mems", async () => {
  const { hive, scan, run } = await starting()
  await scanHive(hive, { session: null, agent: null, tool: "test" }, "full")
  writeFileSync(join(hive.dir, "go.mod"), "module example.com/x\n\ngo 1.25\n")
  scan()
  await run()
  const facts = [...hive.store.read().state.mem.by("scanned", ALL)].map(({ content }) => content)
  expect(facts.join("\n")).toContain("managed by go 1.25")
})

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

it("a new session is validated; the log lists what is stale and due", async () => {
  const { hive, validate, log, input } = moment()
  await hive.store.write(by, (tx) => tx.add("anchor", anAnchor(1, { key: "DB", value: "Postgres" })))
  hive.source.seconds = 40 * 3600
  await run(sessionStart(input, noSync, () => {})("ses_1", false))
  expect(validate).toHaveBeenCalledWith(hive, expect.objectContaining({ session: "ses_1" }), "session start")
  const found = ["docs/plan.md: changed", "to refresh: DB: Postgres"]
  expect(log).toHaveBeenCalledWith("info", "validated", found)
})

it("validates at a turn's end, but not for a subagent", async () => {
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

it("a compaction purges old stale anchors", async () => {
  const { hive, input } = moment()
  await hive.store.write(by, (tx) => tx.add("anchor", anAnchor(1)))
  await hive.store.write(by, (tx) => tx.set("anchor", anAnchor(1).id, { status: "stale" }))
  hive.source.seconds = 49 * 3600
  await run(afterCompaction(input, files)("ses_1"))
  expect([...hive.store.read().state.anchor.values()]).toMatchObject([{ status: "removed" }])
})
