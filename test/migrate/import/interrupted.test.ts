import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { recordsOf } from "../../../src/graph/state.ts"
import type { Hive } from "../../../src/hive/hive.ts"
import { importFrom, undoImport } from "../../../src/migrate/import/import.ts"
import { type AnyRecord, kinds } from "../../../src/schemas/records.ts"
import { fileHive } from "../../support/file-hive.ts"

/** Epics, parts, and waiting in both directions. */
const lines = Array.from({ length: 500 }, (_, n) => {
  const epic = n - (n % 50)
  const links = [
    ...(n % 50 > 0 && n % 7 > 0 ? [{ depends_on_id: `x-${epic}`, type: "parent-child" }] : []),
    ...(n % 3 === 1 ? [{ depends_on_id: `x-${(n * 7) % 500}`, type: "blocks" }] : []),
  ]
  const created_at = new Date(Date.UTC(2026, 0, 1) + n * 60_000).toISOString()
  const issue_type = n % 50 === 0 ? "epic" : "task"
  const status = ["open", "closed", "in_progress"][n % 3]
  return JSON.stringify({
    id: `x-${n}`,
    title: `Issue ${n}`,
    issue_type,
    status,
    created_at,
    dependencies: links,
  })
})

/** All records, without the times and stamps that the moment of the import gives. */
function contentOf({ store }: Hive): AnyRecord[] {
  const { state } = store.read()
  return kinds
    .filter((kind) => kind !== "trajectory")
    .flatMap((kind) => [...recordsOf(state, kind).values()])
    .sort((a, b) => (a.id < b.id ? -1 : 1))
}

it("an interrupted import or undo continues and has the same result", async () => {
  const [whole, broken] = [await fileHive(), await fileHive()]
  const path = join(whole.dir, "issues.jsonl")
  writeFileSync(path, lines.join("\n"))
  const report = await importFrom(whole, "beads", path)
  let seed = 7
  const random = (below: number) => {
    seed = (seed * 16_807) % 2_147_483_647
    return seed % below
  }
  const interrupted = async (run: (stop: () => void) => Promise<unknown>) => {
    let left = random(4)
    const stop = () => {
      if (left-- === 0) throw new Error("killed")
    }
    await expect(run(stop)).rejects.toThrow("killed")
  }
  for (let time = 0; time < 4; time++)
    await interrupted((stop) => importFrom(broken, "beads", path, { onProgress: stop }))
  const last = await importFrom(broken, "beads", path)
  expect(last.sources.taken + last.sources.already).toBe(report.sources.taken)
  expect(last.sources.already).toBeGreaterThan(0)
  expect(contentOf(broken)).toEqual(contentOf(whole))
  for (let time = 0; time < 2; time++)
    await interrupted((stop) => undoImport(broken, "beads", { onProgress: stop }))
  await undoImport(broken, "beads")
  expect(contentOf(broken)).toEqual([])
})
