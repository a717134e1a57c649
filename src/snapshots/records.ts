import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as z from "zod"
import { listNamesOrEmpty } from "../shared/lenient-files.ts"
import { systemCode } from "../shared/system-error.ts"
import { leftOut, type WorktreeState, worktreeState } from "./worktree-state.ts"

const snapshotRecord = z.strictObject({
  number: z.int().positive(),
  at: z.string(),
  session: z.string().nullable(),
  /** The user's message that the call belongs to, by the time it came. */
  turn: z.string().nullable(),
  tool: z.string(),
  /** The start of a shell command, with secrets masked. */
  command: z.string().nullable(),
  task: z.string().nullable(),
  /** The work tree it belongs to. */
  worktree: z.string(),
  before: worktreeState,
  /** Null while the call is under way, and where the process has ended before the call. */
  after: worktreeState.nullable(),
  /** The process that the call ran in. */
  pid: z.int(),
  /** Other calls ran at the same time: the changes may be theirs. */
  isOverlapped: z.boolean(),
  counts: z.strictObject({ changed: z.number(), created: z.number(), deleted: z.number(), refs: z.number() }),
  /** Some of the files that were changed, then of those that were deleted; relative to the top. */
  files: z.array(z.string()),
  deleted: z.array(z.string()),
  /** Files that were too large to be kept, and were changed or deleted: they cannot be restored. */
  notRestorable: z.array(leftOut.extend({ isDeleted: z.boolean() })),
})

/** One call: the work tree before it, and after it. */
export type SnapshotRecord = z.infer<typeof snapshotRecord>
/** A record with the state after its call, and all that was left out. */
export type EndedCall = SnapshotRecord & { after: WorktreeState }

/** A file for each record. Its number is taken by creating it, so that several processes need no lock. */
export function snapshotRecords(repositoryDir: string) {
  const folder = join(repositoryDir, "records")
  const pathOf = (number: number) => join(folder, `${number}.json`)

  function numbers(): number[] {
    const found = listNamesOrEmpty(folder).flatMap((name) => /^(\d+)\.json$/.exec(name)?.[1] ?? [])
    return found.map(Number).sort((a, b) => b - a)
  }

  function read(number: number): SnapshotRecord | undefined {
    try {
      return snapshotRecord.parse(JSON.parse(readFileSync(pathOf(number), "utf8")))
    } catch {
      return undefined // None of that number, or torn by a crash.
    }
  }

  return {
    /** Newest first. */
    numbers,
    read,
    add(record: Omit<SnapshotRecord, "number">): SnapshotRecord {
      for (let number = (numbers()[0] ?? 0) + 1; ; number++) {
        const whole = { number, ...record }
        try {
          writeFileSync(pathOf(number), JSON.stringify(whole), { flag: "wx" })
          return whole
        } catch (error) {
          if (systemCode(error) !== "EEXIST") throw error
        }
      }
    },
    replace(record: SnapshotRecord): void {
      const path = pathOf(record.number)
      writeFileSync(`${path}.new`, JSON.stringify(record))
      renameSync(`${path}.new`, path)
    },
    remove(number: number): void {
      rmSync(pathOf(number), { force: true })
    },
  }
}

export function snapshotId({ number }: Pick<SnapshotRecord, "number">): string {
  return `S${number}`
}

/** Undefined if it is no id. */
export function numberOfId(id: string): number | undefined {
  const digits = /^s?(\d{1,9})$/i.exec(id.trim())?.[1]
  return digits === undefined ? undefined : Number(digits)
}
