import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { standingConflicts } from "../../graph/conflict-standing.ts"
import { describeConflict } from "../../graph/conflict-words.ts"
import type { Hive } from "../../hive/hive.ts"
import { hivePaths } from "../../store/files/layout.ts"
import { fileProblems } from "../../views/health/file-problems.ts"
import { pageOf } from "../../views/look/page.ts"
import { refusalsOf } from "../../views/look/refusals.ts"
import { askedFor } from "./asked.ts"
import type { HealthView } from "./model.ts"

/** What is wrong with the files, what clones disagree on, and what was refused. */
export function healthAnswer(hive: Hive): HealthView {
  const { problems, unlisted, edited, unfolded } = hive.store.health()
  const { state } = hive.store.read()
  return {
    problems: fileProblems(hive.home, problems).map(({ kind, id, reason, raw, level, file, mend }) => ({
      what: reason,
      level,
      file,
      mend,
      ...(level === "quarantined" && kind !== null && raw !== null && { record: { kind, id, json: raw } }),
    })),
    unlisted,
    edited: [...edited],
    unfolded,
    conflicts: standingConflicts(state).map((conflict) => ({
      id: conflict.id,
      at: conflict.created_at,
      ...describeConflict(conflict, state),
    })),
    sizes: sizesOf(hivePaths(hive.home).root),
    sync: { isSynced: hive.store.syncMark() !== undefined },
    asked: askedFor(hive),
    refusals: pageOf(refusalsOf(hive, {}), { limit: MAX_REFUSALS, page: 1 }),
  }
}

/** Of each folder in it, in bytes. */
function sizesOf(root: string): HealthView["sizes"] {
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => ({ name, bytes: bytesIn(join(root, name)) }))
}

function bytesIn(folder: string): number {
  let sum = 0
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }))
    sum += statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0
  return sum
}

const MAX_REFUSALS = 200
