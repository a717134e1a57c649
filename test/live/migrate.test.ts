import { mkdirSync, readFileSync } from "node:fs"
import { dirname } from "node:path"
import { expect, it } from "vitest"
import { hivePaths } from "../../src/store/files/layout.ts"
import { takeLockAt } from "../../src/store/lock.ts"
import { copyOldLayout } from "../support/old-project.ts"
import { type Bed, openBed } from "./bed/bed.ts"
import { injectedState } from "./bed/injected-state.ts"
import { hive, say } from "./bed/steps.ts"

it("in an old repository no turn waits for the migration, and each has the old anchors and the active task", async () => {
  await using bed = await openBed()
  copyOldLayout("g1", bed.project)
  const { migrationLock } = hivePaths(bed.project)
  mkdirSync(dirname(migrationLock), { recursive: true })
  // As long as it is held the migration cannot go on, as if there were very much to take over.
  const lock = await takeLockAt(migrationLock)
  const session = await bed.newSession("s")
  const recall = hive("memory recall", { query: "jose" })
  const first = await bed.prompt(session, "Hello", recall, say("hello"))
  expect(first.text).toContain("hello")
  // Nothing of it is in the graph: it was read from the old files.
  expect(blockOf(first)).toMatch(ANCHOR)
  expect(blockOf(first)).toMatch(TASK)
  expect(first.toolCalls[0]?.output).toContain("Use jose")
  expect(stateOf(bed)).not.toBe("done")

  lock.release()
  await bed.toast("migrated the files of an older tool: 1 plan, 4 tasks")
  expect(stateOf(bed)).toBe("done")
  const second = await bed.prompt(session, "Go on", recall, hive("task start", { task_id: TOKEN_TASK }))
  expect(blockOf(second)).toMatch(ANCHOR)
  expect(blockOf(second)).toMatch(TASK)
  expect(second.toolCalls[0]?.output).toContain("Use jose")
  expect(second.toolCalls[1]?.output).toContain("success")
  expect(await bed.pluginLog()).not.toContain("error")
})

function blockOf({ requests }: Awaited<ReturnType<Bed["prompt"]>>): string {
  const [request] = requests
  return request === undefined ? "" : [...injectedState(request).values()].join("\n")
}

function stateOf(bed: Bed): string | undefined {
  try {
    return JSON.parse(readFileSync(hivePaths(bed.project).migration, "utf8")).state
  } catch {
    return undefined // Not begun yet.
  }
}

// "Rotate the token": ids are made of the old ones.
const TOKEN_TASK = "cfd25222"
const ANCHOR = /<anchor key="DB" priority="medium"[^>]*>Postgres 16<\/anchor>/
const TASK = /<(task|next)[^>]*>Write the refresh endpoint</
