import { expect, it } from "vitest"
import type { Hive } from "../../../src/hive/hive.ts"
import { extractDecisions } from "../../../src/knowledge/extract/extract-mems.ts"
import type { Anchor } from "../../../src/schemas/knowledge.ts"
import { hiveAtWork } from "../../support/hive-at-work.ts"
import { anAnchor, by, uuid } from "../../support/records.ts"

const caller = { session: "ses_1", agent: null, tool: "test" }
const ANCHOR = uuid(500)

async function decide(hive: Hive, value: string, more: Partial<Anchor> = {}): Promise<void> {
  const updated_at = new Date(hive.source.now()).toISOString()
  await hive.store.write(by, (tx) => {
    if (tx.get("anchor", ANCHOR) !== undefined) tx.set("anchor", ANCHOR, { value, updated_at, ...more })
    else tx.add("anchor", anAnchor(500, { key: "DB", value, type: "decision", updated_at, ...more }))
  })
}

function decisions(hive: Hive): string[] {
  return [...hive.store.read().state.mem.values()].map(({ content, status }) => `${content} ${status}`)
}

it("a decision that was saved as an anchor becomes a mem that leads back to it, once", async () => {
  const { hive, task } = await hiveAtWork()
  await decide(hive, "Postgres", { related_to: [task], session_id: "ses_1" })
  await hive.store.write(by, (tx) => tx.add("anchor", anAnchor(501, { type: "file" })))
  const [mem, ...more] = await extractDecisions(hive, caller)
  expect(more).toEqual([])
  expect(mem).toMatchObject({
    shelf: "decisions",
    kind: "decision",
    resolved: true,
    content: "DB: Postgres",
    related_to: [ANCHOR],
    origin_task_id: task,
    session_id: "ses_1",
    origin: "anchor",
    confidence: 0.6,
  })
  expect(await extractDecisions(hive, caller)).toEqual([])
  // Only the priority changes, not the decision, so no mem is written.
  await decide(hive, "Postgres", { priority: "critical" })
  expect(await extractDecisions(hive, caller)).toEqual([])
  expect(decisions(hive)).toEqual(["DB: Postgres active"])
})

it("a changed value is a new decision in the place of the old one; taken back, the old one is in force again", async () => {
  const { hive } = await hiveAtWork()
  await decide(hive, "Postgres")
  const [first] = await extractDecisions(hive, caller)
  await decide(hive, "SQLite")
  const [second] = await extractDecisions(hive, caller)
  expect(second).toMatchObject({ content: "DB: SQLite", supersedes: first?.id })
  expect(decisions(hive)).toEqual(["DB: Postgres superseded", "DB: SQLite active"])
  await decide(hive, "Postgres")
  await extractDecisions(hive, caller)
  expect(decisions(hive)).toEqual(["DB: Postgres active", "DB: SQLite superseded"])
  expect(await extractDecisions(hive, caller)).toEqual([])
})

it("removing an anchor removes its mem, but a stale anchor keeps it", async () => {
  const { hive } = await hiveAtWork()
  await decide(hive, "Postgres")
  await extractDecisions(hive, caller)
  await decide(hive, "Postgres", { status: "stale" })
  await extractDecisions(hive, caller)
  expect(decisions(hive)).toEqual(["DB: Postgres active"])
  await decide(hive, "Postgres", { status: "removed" })
  await extractDecisions(hive, caller)
  expect(decisions(hive)).toEqual(["DB: Postgres superseded"])
})

it("a mem that a person purged does not come back by rule", async () => {
  const { hive } = await hiveAtWork()
  await decide(hive, "Postgres")
  const [mem] = await extractDecisions(hive, caller)
  await hive.store.write(by, (tx) => tx.set("mem", mem?.id ?? "", { status: "purged" }))
  expect(await extractDecisions(hive, caller)).toEqual([])
  await decide(hive, "SQLite")
  await extractDecisions(hive, caller)
  await decide(hive, "Postgres")
  await extractDecisions(hive, caller)
  expect(decisions(hive)).toEqual(["DB: Postgres purged", "DB: SQLite superseded"])
})
