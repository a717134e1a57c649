import { readFileSync } from "node:fs"
import { relative } from "node:path"
import { isSame } from "../graph/change.ts"
import { recordsOf } from "../graph/state.ts"
import { kinds } from "../schemas/records.ts"
import type { Pausing } from "../shared/slices.ts"
import type { HivePaths } from "./files/layout.ts"
import { follow } from "./log/follower.ts"
import { segmentNumbers, segmentPath } from "./log/segments.ts"
import { replayLog } from "./replay.ts"
import { historyFiles, legacyLines } from "./upgrade/legacy-files.ts"
import { readLegacyLine } from "./upgrade/legacy-log.ts"
import type { View } from "./view.ts"

/** Replays the whole log and compares it with the graph: what differs, a line each. */
export function* compareWithLog(view: View, paths: HivePaths): Pausing<string[]> {
  const uncounted = [...view.base.void, ...view.late.keys()]
  const logged = yield* replayLog(paths, { through: view.position.segment, void: uncounted })
  const differences: string[] = yield* brokenLines(paths, view.base.through)
  for (const kind of kinds) {
    if (kind === "metrics") continue
    const now = recordsOf(view.state, kind)
    const then = recordsOf(logged, kind)
    let count = 0
    for (const [id, record] of now) {
      const before = then.get(id)
      if (before === undefined) differences.push(`${kind} ${id} is in the graph, but not in the log`)
      else if (!isSame(before, record)) differences.push(`${kind} ${id} is not as the log has it`)
      if (++count % PAUSE_EVERY === 0) yield
    }
    for (const id of then.keys())
      if (!now.has(id) && !view.takenOut[kind].has(id))
        differences.push(`${kind} ${id} is in the log, but not in the graph`)
  }
  return differences
}

/** Lines that nothing needs any more, so that no reading of the graph tells of them. */
function* brokenLines(paths: HivePaths, through: number): Pausing<string[]> {
  const found: string[] = []
  for (const path of historyFiles(paths)) {
    for (const { line, end } of legacyLines(path)) {
      if (readLegacyLine(line) === undefined)
        found.push(`${placeIn(path, end, paths)}: the line is not a journal entry`)
      yield
    }
  }
  for (const number of segmentNumbers(paths.log).filter((each) => each <= through)) {
    for (const each of follow(paths.log, { segment: number, offset: 0 }, { stopAtSeal: true })) {
      if (each?.line.what === "broken")
        found.push(
          `${placeIn(segmentPath(paths.log, number), each.position.offset - 1, paths)}: ${each.line.reason}`,
        )
      yield
    }
  }
  return found
}

/** `graph/log/000001.jsonl:7`, for the line that ends at an offset. */
function placeIn(path: string, end: number, { root }: HivePaths): string {
  const before = readFileSync(path).subarray(0, end)
  return `${relative(root, path)}:${before.toString("latin1").split("\n").length}`
}

const PAUSE_EVERY = 200
