import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { ProblemCode } from "../graph/problem.ts"
import type { Op } from "../schemas/op.ts"
import { snapshotNames } from "../schemas/records.ts"
import { writeAtomic } from "./atomic-write.ts"
import type { HivePaths } from "./layout.ts"
import { FORMAT, readFormat, writeFormat } from "./manifest.ts"
import { fileSignature } from "./reader.ts"
import { renderSnapshot } from "./snapshot.ts"
import type { View } from "./view.ts"

export interface UpgradeInput {
  paths: HivePaths
  /** Everything, freshly read. */
  view: View
  now: number
  isHeld: () => boolean
  /** Writes an ordered entry; false if the lock was lost on the way. */
  commit(ops: Op[]): Promise<boolean>
}

interface Upgrade {
  from: number
  /** Brings the files from format `from` to the next one; false if the lock was lost. May run again after a crash. */
  run(input: UpgradeInput): Promise<boolean>
}

/** Every step from the oldest format to today's, in order. */
const upgrades: readonly Upgrade[] = [{ from: 1, run: fromFormat1 }]

/** Brings the files of a hive to today's format. Runs under the lock; false if that was lost. */
export async function upgradeFiles(input: UpgradeInput): Promise<boolean> {
  const { paths, now } = input
  const { format } = readFormat(paths)
  for (const step of upgrades.filter(({ from }) => from >= format)) {
    if (!(await step.run(input)) || !input.isHeld()) return false
    await writeFormat(paths, step.from + 1, now)
  }
  return true
}

/**
 * Lines are converted whenever they are read (schemas/format-1.ts) and stay as they are. The metrics, which a reader
 * converts as a whole, go into the journal once, so that the log adds up; the snapshots are written in today's shape,
 * so that they need no second look. A snapshot that a person has edited waits for the next fold.
 */
async function fromFormat1({ paths, view, isHeld, commit }: UpgradeInput): Promise<boolean> {
  if (view.upgrades.length > 0 && !(await commit(view.upgrades))) return false
  for (const file of snapshotNames) {
    const snapshot = view.snapshots.get(file)
    if (snapshot === undefined || snapshot.format === FORMAT || !snapshot.untouched) continue
    if (snapshot.problems.length > 0) continue
    const path = join(paths.root, file)
    const text = renderSnapshot(file, snapshot.watermark, (kind) =>
      snapshot.records.flatMap((each) => (each.kind === kind ? [each.record] : [])),
    )
    const isAsRead = () => fileSignature(path) === view.signatures.get(file)
    writeAtomic(path, text, () => isHeld() && isAsRead())
  }
  addCodes(paths.orphans)
  return true
}

/** Format 1 had no codes in the quarantine, only sentences. */
function addCodes(path: string): void {
  if (!existsSync(path)) return
  try {
    const { orphans }: { orphans: { reason: string }[] } = JSON.parse(readFileSync(path, "utf8"))
    const coded = orphans.map((orphan) => ({ code: codeOf(orphan.reason), ...orphan }))
    writeAtomic(path, `${JSON.stringify({ orphans: coded }, null, 2)}\n`)
  } catch {
    // Not what we wrote: the next fold sets it aside.
  }
}

function codeOf(reason: string): ProblemCode {
  return CODES.find(([pattern]) => pattern.test(reason))?.[1] ?? "invalid_record"
}

const CODES: readonly [RegExp, ProblemCode][] = [
  [/cannot be read/, "unreadable"],
  [/^the file is gone/, "missing_file"],
  [/^the file is not valid JSON/, "broken_file"],
  [/^this part is not valid JSON|is not a list of records$/, "broken_part"],
  [/^the line is not/, "broken_line"],
  [/^the same id stands twice/, "duplicate_record"],
  [/^it changes the .*, which is not there$/, "missing_record"],
  [/^it follows an entry/, "overtaken"],
  [/points at .*, which is not there$/, "broken_link"],
]
