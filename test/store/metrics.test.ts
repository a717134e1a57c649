import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { emptyState } from "../../src/graph/state.ts"
import type { Entry } from "../../src/schemas/entry.ts"
import { runToEnd } from "../../src/shared/slices.ts"
import { segmentPath } from "../../src/store/log/segments.ts"
import { openMetrics } from "../../src/store/metrics.ts"
import { anEntry, uuid } from "../support/records.ts"
import { tempProject } from "../support/temp-project.ts"

const BUILT = new URL("../../build/store/metrics.js", import.meta.url).href
const FOLD_TWICE = `
  const { openMetrics } = await import(${JSON.stringify(BUILT)})
  for (let n = 0; n < 2; n++) await openMetrics(process.argv[1], new Map()).fold()`

it("a count is not added twice when another process folds and removes the segment right after the append", async () => {
  const folder = await tempProject()
  const state = emptyState().metrics
  const metrics = openMetrics(folder, state)
  await metrics.append(counting(1))
  const segment = segmentPath(folder, 1, "counts.")

  const appending = metrics.append(counting(2))
  // A worker thread writes the append. This thread blocks, so the append is not read back before the other process folds.
  for (let n = 0; n < 20; n++) await null
  while (!readFileSync(segment, "utf8").includes(uuid(2))) {}
  execFileSync(process.execPath, ["--input-type=module", "-e", FOLD_TWICE, folder])
  expect(existsSync(segment)).toBe(false)
  await appending

  runToEnd(metrics.follow())
  expect(state.get("ses_1")?.counts).toEqual({ writes: 2 })
  await metrics.close()
})

it("a count that is written after another process has folded and removed the segment is not lost", async () => {
  const folder = await tempProject()
  const state = emptyState().metrics
  const metrics = openMetrics(folder, state)
  const other = openMetrics(folder, emptyState().metrics)
  await metrics.append(counting(1))
  await other.fold()
  expect(existsSync(segmentPath(folder, 1, "counts."))).toBe(false)

  await metrics.append(counting(2))
  expect(state.get("ses_1")?.counts).toEqual({ writes: 2 })
  await other.append(counting(3))
  await other.fold()
  await Promise.all([metrics.close(), other.close()])
  expect(readAnew(folder)).toEqual({ writes: 3 })
})

function readAnew(folder: string): unknown {
  const state = emptyState().metrics
  runToEnd(openMetrics(folder, state).follow())
  return state.get("ses_1")?.counts
}

function counting(n: number): Entry {
  return anEntry(n, [{ op: "count", session: "ses_1", name: "writes", by: 1 }])
}
