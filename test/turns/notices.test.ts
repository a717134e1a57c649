import { expect, it } from "vitest"
import { saveAnchor, updateAnchor } from "../../src/knowledge/anchor/anchors.ts"
import { midTurnNotices } from "../../src/turns/notices.ts"
import { fileHive } from "../support/file-hive.ts"
import { openMemoryStore } from "../support/memory-store.ts"
import { anAnchor, aPhase, aPlan, aTask, by, countingSource, uuid } from "../support/records.ts"

const SESSION = "ses_own"

it("tells others' critical anchors and locks with the next result, once", async () => {
  const { store, news } = await turn()
  const since = () => news.since(SESSION, store.read().state)
  expect(since()).toEqual([])
  await store.write(by, (tx) => {
    tx.add(
      "anchor",
      anAnchor(20, { key: "PORT", value: "5000", priority: "critical", session_id: "ses_other" }),
    )
    tx.set("task", uuid(3), { status: "active", assigned_session_id: "ses_other", file_locks: ["src/a.ts"] })
  })
  expect(since()).toEqual([
    "Set meanwhile, critical: PORT = 5000",
    'Locked meanwhile by another session (task "Task 3"): src/a.ts. Leave it alone.',
  ])
  expect(since()).toEqual([])
  await store.write(by, (tx) => tx.set("anchor", uuid(20), { value: "6000" }))
  expect(since()).toEqual(["Set meanwhile, critical: PORT = 6000"])
  await store.write(by, (tx) => tx.set("anchor", uuid(20), { value: "5000" }))
  expect(since()).toEqual(["Set meanwhile, critical: PORT = 5000"])
})

it("takes back what is over with the next result, once, also in a later turn", async () => {
  const { store, news } = await turn()
  const since = () => news.since(SESSION, store.read().state)
  const other = { priority: "critical", session_id: "ses_other" } as const
  await store.write(by, (tx) => {
    tx.add("anchor", anAnchor(20, { key: "PORT", value: "5000", ...other }))
    tx.set("task", uuid(3), { status: "active", assigned_session_id: "ses_other", file_locks: ["src/a.ts"] })
  })
  expect(since()).toHaveLength(2)
  await store.write(by, (tx) => tx.set("anchor", uuid(20), { status: "removed" }))
  expect(since()).toEqual(["No longer set: PORT"])
  await store.write(by, (tx) => tx.set("task", uuid(3), { status: "completed" }))
  news.begin(SESSION, store.read().state)
  expect(since()).toEqual(["No longer locked: src/a.ts"])
  expect(since()).toEqual([])
})

it("does not tell the session's own, uncritical or earlier changes", async () => {
  const { store, news } = await turn()
  await store.write(by, (tx) => {
    tx.add("anchor", anAnchor(20, { priority: "critical", session_id: SESSION }))
    tx.add("anchor", anAnchor(21, { priority: "high", session_id: "ses_other" }))
    tx.set("task", uuid(3), { status: "active", assigned_session_id: SESSION, file_locks: ["src/a.ts"] })
  })
  expect(news.since(SESSION, store.read().state)).toEqual([])
  await store.write(by, (tx) => tx.add("anchor", anAnchor(22, { priority: "critical", session_id: null })))
  news.begin(SESSION, store.read().state)
  expect(news.since(SESSION, store.read().state)).toEqual([])
  // A process that was started in the middle of a turn does not tell what the block may have told.
  expect(midTurnNotices().since(SESSION, store.read().state)).toEqual([])
})

it("an anchor belongs to its last writer", async () => {
  const hive = await fileHive()
  const own = { session: SESSION, agent: null, tool: "test" }
  const other = { ...own, session: "ses_other" }
  await saveAnchor(hive, own, { key: "PORT", value: "5000", priority: "critical" })
  await saveAnchor(hive, other, { key: "HOST", value: "a", priority: "critical" })
  const news = midTurnNotices()
  news.begin(SESSION, hive.store.read().state)
  await updateAnchor(hive, other, { key: "PORT", value: "6000" })
  await updateAnchor(hive, own, { key: "HOST", value: "b" })
  expect(news.since(SESSION, hive.store.read().state)).toEqual(["Set meanwhile, critical: PORT = 6000"])
})

async function turn() {
  const store = openMemoryStore(countingSource())
  await store.write(by, (tx) => {
    tx.add("plan", aPlan(1))
    tx.add("phase", aPhase(2, 1))
    tx.add("task", aTask(3, 1, 2))
  })
  const news = midTurnNotices()
  news.begin(SESSION, store.read().state)
  return { store, news }
}
